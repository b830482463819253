"""The benchmark of overlap: what it makes of a pair of runs, and of what it has measured."""

import pytest

from benchmarks.overlap import MISSED, UNCLEAR, Pair, measure, rows
from benchmarks.spanless import Overhead, overheads, without_spans
from engine import baseline, configure, execute
from engine.devices import DEVICES

PERFECT = Pair(0.9, 0.99, 10.0, 9.1, 0.91, 0.91, 1.01, 0)


def verdicts(pairs, tracing=()):
    return {line[0]: line[-1] for line in rows(pairs, tracing) if line[-1]}


def test_on_the_modelled_clock_a_pair_comes_out_as_predicted():
    config = configure("async", steps=20, workload="even", compute=False)
    pair = measure(config, None)
    assert pair.deviation == pytest.approx(0, abs=0.005)
    assert pair.ratio < 0.85 and pair.async_active > pair.sync_active
    assert 1 <= pair.to_bound < 1.1


def test_wrong_tokens_are_counted_against_the_truth():
    config = configure("no-wait-compute", steps=8)
    truth = baseline(config.prediction)
    pair = measure(config, truth)
    assert pair.wrong == execute(config).token_diff.count > 0


def test_goals_are_held_against_the_median():
    assert set(verdicts([PERFECT] * 3).values()) == {"met"}
    slow = Pair(0.9, 0.97, 10.0, 9.1, 0.99, 0.9, 1.1, 2)
    assert verdicts([PERFECT, slow, slow]) == {
        "GPU active, async": MISSED, "measured against predicted": MISSED, "wrong tokens": MISSED,
    }  # fmt: skip
    assert set(verdicts([PERFECT, PERFECT, slow]).values()) == {"met"}


@pytest.mark.parametrize(
    ("walls", "verdict"),
    [([0.01, 0.011, 0.009], "met"), ([0.03, 0.031, 0.029], MISSED), ([0.3, -0.4, 0.0], UNCLEAR)],
)
def test_an_overhead_that_noise_hides_is_called_unclear(walls, verdict):
    tracing = [Overhead(wall, 0.0, 0.001) for wall in walls]
    assert verdicts([PERFECT], tracing)["spans, wall time"] == verdict


def test_a_run_without_spans_computes_the_same_and_finds_the_same_races():
    config = configure("no-wait-h2d", device="threads", steps=4)
    with without_spans("threads"):
        bare = execute(config)
    assert bare.device.spans == [] and execute(config).device.spans
    assert [hazard.kind for hazard in bare.hazards] == [
        hazard.kind for hazard in execute(config.prediction).hazards
    ]
    assert DEVICES["threads"].make.__name__ == "ThreadsDevice"


def test_an_overhead_is_counted_from_what_a_span_takes():
    (found,) = overheads(configure("async", device="threads", steps=4), pairs=1)
    assert -0.05 < found.counted < 0.5
    assert found.wall > -1 and found.processor > -1
