"""Random models of a size: made from a seed, run like the trained one, refused if too large."""

import pytest

from engine import configure, execute, run
from engine.config import ConfigError
from engine.model.sizes import MODELS, RANDOM, check_memory, parameters, random_model


@pytest.mark.parametrize(
    ("name", "billions"), [("6m", 0.006), ("0.1b", 0.1), ("1b", 1.0), ("8b", 8.0)]
)
def test_the_sizes_are_what_their_names_say(name, billions):
    assert parameters(RANDOM[name]) / 1e9 == pytest.approx(billions, rel=0.06)


def test_a_random_model_is_the_same_each_time():
    first = random_model("tiny", "cpu")
    random_model.cache_clear()
    second = random_model("tiny", "cpu")
    assert first is not second
    assert first.weights.head.equal(second.weights.head)
    assert first.weights.embed.std() == pytest.approx(1, rel=0.1)


@pytest.mark.parametrize("device", ["virtual", "threads"])
@pytest.mark.parametrize("mode", ["sync", "async", "graph-replay"])
def test_a_random_model_runs_like_the_trained_one(device, mode):
    result = run(mode, model="tiny", device=device, steps=6)
    assert result.token_diff.count == 0 and not result.hazards
    assert result.texts != run(mode, steps=6).texts
    assert result.trace.meta["run"]["model"] == "tiny"


def test_a_random_model_never_ends_by_itself():
    result = run("async", model="tiny", workload="chat", device="virtual")
    assert all(len(request.tokens) == request.max_new_tokens for request in result.requests)


def test_a_random_model_is_judged_by_the_device_that_runs_it():
    tiny = configure("async", model="tiny", device="threads")
    assert (tiny.judge.device, tiny.judge.model) == ("threads", "tiny")
    assert configure("async", device="threads").judge.device == "virtual"


def test_what_does_not_fit_is_refused_in_one_sentence(monkeypatch):
    with pytest.raises(ConfigError, match=r"'8b' takes 15\.7 GB and 2\.0 GB of memory are free"):
        check_memory("8b", 15_700_000_000, 2_000_000_000)
    monkeypatch.setattr("engine.model.sizes.free_bytes", lambda where: 1_000_000)
    with pytest.raises(ConfigError, match="choose a smaller model"):
        execute(configure("async", model="1b", steps=2))
    check_memory("8b", 15_700_000_000, None)


def test_a_model_nobody_knows_is_refused():
    with pytest.raises(ConfigError, match=f"use one of {', '.join(MODELS)}"):
        configure("async", model="70b")
