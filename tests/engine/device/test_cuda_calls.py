"""What the GPU's device logs, and asks of CUDA, where there is none: on a stand-in for torch.cuda.

The stand-in does everything at once and in order, so it says nothing about races or times; the
conformance suite does, where there is a GPU. It shows that the host's calls are all there.
"""

import contextlib
import time
from dataclasses import replace

import pytest
import torch

from engine import configure, execute, execution
from engine.device.cuda import CudaDevice
from engine.device.virtual import VirtualDevice
from engine.devices import DEVICES, Kind
from engine.model.decoder import load_model


class StandIn:
    """A stream and a timing event of a GPU that has always just finished."""

    at_s = 0.0

    def __init__(self, *_args, **_named):
        pass

    def record(self, _stream=None):
        self.at_s = time.perf_counter()

    def query(self):
        return True

    def elapsed_time(self, later):
        return 1000 * (later.at_s - self.at_s)

    def synchronize(self):
        pass

    def wait_event(self, event):
        assert event.at_s > 0, "waited for an event that was never recorded"


@pytest.fixture
def stand_in(monkeypatch):
    for name in ("Event", "Stream", "default_stream", "current_stream"):
        monkeypatch.setattr(torch.cuda, name, StandIn)
    monkeypatch.setattr(torch.cuda, "synchronize", lambda: None)
    monkeypatch.setattr(torch.cuda, "stream", lambda stream: contextlib.nullcontext())
    monkeypatch.setattr(CudaDevice, "_zeros", VirtualDevice._zeros)
    monkeypatch.setitem(DEVICES, "stand-in", Kind("no GPU", CudaDevice, False))
    monkeypatch.setattr(execution, "model_for", lambda config: load_model())


@pytest.mark.parametrize("mode", ["sync", "async"])
def test_on_a_gpu_the_host_logs_the_calls_that_it_logs_on_the_modelled_clock(stand_in, mode):
    config = configure(mode, steps=6)
    on_gpu, modelled = execute(replace(config, device="stand-in")), execute(config)
    logs = [
        [(op.kind, op.name, op.stream, op.step, op.target, op.line) for op in run.device.log]
        for run in (on_gpu, modelled)
    ]
    assert logs[0] == logs[1]
    assert len(logs[0]) > 100
    assert on_gpu.texts == modelled.texts


def test_on_a_gpu_a_failed_batch_is_reported_as_on_the_modelled_clock(stand_in):
    config = configure("kernel-error", steps=24)
    on_gpu, modelled = execute(replace(config, device="stand-in")), execute(config)
    assert on_gpu.errors == modelled.errors
    assert len(on_gpu.errors) == 1
