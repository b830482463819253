"""The first difference of a fork from its parent: in spans, in memory, and in tokens."""

from dataclasses import replace

import pytest

from engine import configure, execute
from engine.forks.divergence import Divergence, divergence
from engine.forks.fork import make_fork
from engine.forks.report import fork_lines, fork_report
from engine.oplog import NONE
from engine.recording.recording import Recording, record

AT_MS = 60.0
CONFIG = configure("async", steps=10)


@pytest.fixture(scope="module")
def parent() -> Recording:
    return record(CONFIG)


def forked(**change: str) -> Recording:
    return record(replace(CONFIG, fork=make_fork(AT_MS, change)))


def test_a_run_does_not_differ_from_itself(parent: Recording) -> None:
    assert divergence(parent, parent) == Divergence(None, None, None)
    assert divergence(parent, parent).at_ns == NONE


def test_a_duration_alone_moves_spans_and_brings_the_same(parent: Recording) -> None:
    fork = forked(compute="2x")
    found = divergence(parent, fork)
    assert found.writes is None and found.tokens is None
    spans = found.spans
    assert spans is not None and spans.at_ns == found.at_ns >= AT_MS * 1e6
    kernel = next(op for op in fork.run.device.log if op.name == "carry" and op.call_ns >= 60e6)
    assert (spans.name, spans.step, spans.track) == ("carry", kernel.step, "compute")
    before = next(op for op in parent.run.device.log if op.seq == kernel.seq)
    assert spans.at_ns == min(before.end_ns, kernel.end_ns)


def test_a_missing_wait_shows_in_memory_and_then_in_tokens(parent: Recording) -> None:
    fork = forked(wait_compute="off")
    found = divergence(parent, fork)
    assert found.spans and found.writes and found.tokens
    assert AT_MS * 1e6 <= found.spans.at_ns <= found.writes.at_ns < found.tokens.at_ns
    info = fork.run.device.log.buffers[found.writes.buffer]
    assert info.resource == "host outputs"
    assert found.writes.before != found.writes.after
    told = found.tokens
    texts = [{r.id: r.tokens for r in one.run.requests}[told.request] for one in (parent, fork)]
    assert [told.before, told.after] == [text[told.position] for text in texts]
    assert texts[0][: told.position] == texts[1][: told.position]


def test_the_first_difference_is_the_same_seen_from_either_side(parent: Recording) -> None:
    fork = forked(wait_compute="off")
    there, back = divergence(parent, fork), divergence(fork, parent)
    assert there.at_ns == back.at_ns and there.spans == back.spans
    assert there.writes and back.writes
    assert (there.writes.before, there.writes.after) == (back.writes.after, back.writes.before)


def test_more_work_is_a_difference_in_memory(parent: Recording) -> None:
    found = divergence(parent, forked(item_sync="on"))
    assert found.writes is not None and found.writes.name == "d2h out"
    assert found.writes.before is None and found.tokens is None


def test_the_report_tells_the_same_in_lines(parent: Recording) -> None:
    config = replace(CONFIG, fork=make_fork(AT_MS, {"wait_compute": "off", "h2d": "2x"}))
    report = fork_report(config)
    assert report["changes"] == {"wait_compute": "off", "h2d": "2x"}
    assert report["first_difference_ms"] == report["spans"]["at_ms"] >= AT_MS
    text = "\n".join(fork_lines(report))
    assert "forked at 60.000000 ms: wait_compute = off, h2d = 2x" in text
    assert "first other span" in text and "of host outputs" in text and "first other token" in text
    nothing = fork_report(replace(CONFIG, fork=make_fork(AT_MS, {})))
    assert nothing["first_difference_ms"] is None and nothing["spans"] is None
    assert "the fork is its parent" in fork_lines(nothing)[-1]
    with pytest.raises(ValueError, match="only a fork has a parent"):
        fork_report(CONFIG)


def test_a_fork_is_judged_by_the_truth_of_its_work_and_told_in_its_trace() -> None:
    config = replace(CONFIG, fork=make_fork(AT_MS, {"wait_compute": "off"}))
    run = execute(config)
    assert run.token_diff is not None and run.token_diff.count > 0
    assert run.trace.meta["run"]["fork"] == {
        "at_ns": 60_000_000,
        "changes": {"wait_compute": "off"},
    }
    assert config.settings == {"wait_compute": "off"}
    assert config.parent == CONFIG
