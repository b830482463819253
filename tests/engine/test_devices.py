"""Choosing a device: what each is asked for, and what it refuses."""

from contextlib import closing
from dataclasses import replace

import pytest

from engine import configure, execute
from engine.config import ConfigError
from engine.devices import make_device, model_for
from engine.model.memo import RememberingModel
from tests.engine.device.names import NAMES


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"device": "toaster"}, "there is no device 'toaster': use one of virtual, threads"),
        ({"pace": True}, "pace is for devices that measure time"),
        ({"widen_ms": 3}, "widen is for devices that measure time"),
        ({"device": "threads", "jitter": 5}, "it needs pace, too"),
        ({"device": "cuda", "pace": True}, "'cuda' takes what it takes and cannot be paced"),
        ({"device": "threads", "widen_ms": -1}, "widen must lie between 0 and 1000"),
    ],
)
def test_what_a_device_cannot_do_is_one_sentence(changes, sentence):
    with pytest.raises(ConfigError, match=sentence):
        configure("async", **changes)


def test_without_a_gpu_one_sentence_says_so(monkeypatch):
    monkeypatch.setattr("torch.cuda.is_available", lambda: False)
    with pytest.raises(ConfigError, match=r"needs an NVIDIA GPU, .*: use threads or virtual$"):
        configure("async", device="cuda")


def test_a_measured_run_cannot_be_frozen_at_an_instant():
    with pytest.raises(ConfigError, match="frozen at an instant"):
        execute(replace(configure("async", device="threads"), stop_at_ns=5))


@pytest.mark.parametrize("name", NAMES)
def test_every_device_offers_what_the_protocol_says(name):
    config = configure("async", device=name)
    with closing(make_device(config, None, None, {})) as device:
        before_ns = device.now_ns
        with device.host("schedule"):
            pass
        device.finish()
        assert device.now_ns > before_ns
        assert [span.name for span in device.spans] == ["schedule"]


def test_only_where_time_is_measured_as_it_is_nothing_is_remembered():
    remembers = {
        (device, pace): isinstance(
            model_for(replace(configure("async"), device=device, pace=pace)), RememberingModel
        )
        for device, pace in (("virtual", False), ("threads", True), ("threads", False))
    }
    assert remembers == {
        ("virtual", False): True, ("threads", True): True, ("threads", False): False
    }  # fmt: skip
    assert model_for(configure("async", compute=False)) is None
