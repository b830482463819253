"""The state shown at an instant is that of an engine stopped there, in every mode."""

import random
from dataclasses import replace
from functools import lru_cache

import pytest
from hypothesis import settings

from engine import configure, execute
from engine.config import RunConfig
from engine.forks.fork import make_fork
from engine.modes.table import MODES
from engine.oplog import NONE, OpKind
from engine.recording.host_place import source
from engine.recording.journal import Journal
from engine.recording.recording import Recording, Snapshot, record
from tests.engine.stopped import Frozen, frozen_at

STREAM_MARKS = (OpKind.RECORD, OpKind.WAIT)
IO = ("host inputs", "device inputs", "device outputs", "host outputs")
DEFAULT_EXAMPLES = 100


def config_of(mode: str) -> RunConfig:
    """A few steps of a mode; where a fault strikes, it strikes in one of them."""
    config = configure(mode, steps=8)
    return replace(config, workload=replace(config.workload, fault_step=4))


@lru_cache(maxsize=2)
def recorded(mode: str) -> Recording:
    return record(config_of(mode))


def instants(recording: Recording) -> list[int]:
    """Random instants: at a change, right beside one, and anywhere; more of them with --long."""
    fork = recording.run.config.fork
    draw = random.Random(recording.run.config.mode + (fork.text if fork else ""))
    begin = next(span.start_ns for span in recording.run.device.spans if span.name == "schedule")
    begin = fork.at_ns if fork else begin  # before it a fork is its parent
    times = [at_ns for at_ns in recording.times if at_ns > begin]
    count = 1 if settings().max_examples <= DEFAULT_EXAMPLES else 10
    found = [draw.choice(times) + draw.choice((-1, 0, 0, 1)) for _ in range(count)]
    found += [draw.randrange(begin, times[-1]) for _ in range(count)]
    return [at_ns for at_ns in found if at_ns < times[-1]]


def shown_memory(recording: Recording, frozen: Frozen) -> list[list[object]]:
    """Every buffer of the stopped run as the recording shows it; what nobody wrote is zero."""
    found = []
    numbers = [n for n, data in enumerate(frozen.journal.memory) if data is not None]
    for number, blank in zip(numbers, frozen.blank_rows(), strict=True):
        cells = recording.journal.cells(number, frozen.at_ns)
        rows = range(len(frozen.journal.memory[number]))
        found.append([cells[row].values.tolist() if row in cells else blank for row in rows])
    return found


def waiting(shown: Snapshot) -> dict[int, bool]:
    """Device operations in the queues, by `seq`: True when under way."""
    return {
        op.seq: place < stream.running
        for stream in shown.streams
        for place, op in enumerate(stream.queue)
        if op.kind not in STREAM_MARKS
    }


def check_batches(recording: Recording, shown: Snapshot, frozen: Frozen) -> None:
    """Points of completion against the tasks that are not done; slots against the loop."""
    log = recording.run.device.log.ops
    issued = {op.seq for op in frozen.run.device.log}
    open_ops = {op.seq for op in log if op.seq not in issued} | set(frozen.unfinished())
    for batch in shown.batches:
        of_batch = [op for op in log if op.step == batch.step]
        for kind, passed in zip(
            (OpKind.H2D, OpKind.KERNEL), batch.passed(frozen.at_ns)[1:3], strict=True
        ):
            left = [op for op in of_batch if op.kind is kind and op.seq in open_ops]
            assert passed == (not left), (batch, kind)
    for side in ("host", "device"):
        owners = {s.slot: s.owner for s in shown.slots if s.side == side and s.owner != NONE}
        assert owners == frozen.owners(side)


FORKS = {
    "a broken fork": ("async", {"wait_compute": "off", "reuse_host_input": "off", "h2d": "9x"}),
    "a mended fork": ("no-wait-compute", {"wait_compute": "on", "compute": "0.5x"}),
}


@lru_cache(maxsize=2)
def forked(name: str) -> Recording:
    mode, changes = FORKS[name]
    return record(replace(config_of(mode), fork=make_fork(70.0, changes)))


@pytest.mark.parametrize("mode", [*MODES, *FORKS])
def test_what_is_shown_at_an_instant_is_the_state_of_an_engine_stopped_there(mode, monkeypatch):
    recording = forked(mode) if mode in FORKS else recorded(mode)
    for at_ns in instants(recording):
        frozen = frozen_at(recording.run.config, at_ns, monkeypatch)
        shown = recording.at(at_ns)
        assert shown_memory(recording, frozen) == frozen.memory()
        assert shown.requests == frozen.requests()
        assert {b: (s.writer, set(s.holders)) for b, s in shown.blocks.items()} == frozen.blocks()
        assert waiting(shown) == frozen.unfinished()
        records = {
            (op.name, op.step): frozen.event_is_set(op.seq)
            for op in frozen.run.device.log
            if op.kind is OpKind.RECORD and op.step in {batch.step for batch in shown.batches}
        }
        assert {(event.name, event.step): event.is_set for event in shown.events} == records
        assert shown.host.line == frozen.line
        check_batches(recording, shown, frozen)


def picture(recording: Recording, at_ns: int) -> str:
    return repr((recording.at(at_ns), recording.buffers_at(at_ns, *IO)))


@pytest.mark.parametrize("mode", ["sync", "no-wait-compute", "ready-queue", *FORKS])
def test_going_back_and_forth_gives_the_same_picture(mode):
    recording = forked(mode) if mode in FORKS else recorded(mode)
    at_ns = recording.times[len(recording.times) // 2]
    before = picture(recording, at_ns)
    for events in (1, 40, -90):
        moved = recording.step(at_ns, events)
        assert moved != at_ns and picture(recording, moved) != before
    assert recording.step(recording.step(at_ns, 7), -7) == at_ns
    assert picture(recording, at_ns) == before


def test_stepping_stays_within_the_run():
    recording = recorded("async")
    first, last = recording.times[0], recording.times[-1]
    assert (first, last) == (0, recording.run.wall_ns)
    assert recording.step(0, -1) == 0 and recording.step(last, 1) == last
    between = (recording.times[3] + recording.times[4]) // 2
    assert recording.step(between, 1) == recording.times[4]
    assert recording.step(between, -1) == recording.times[3]


def test_a_recording_is_the_run_that_it_records():
    for mode in ("async", "ready-queue", "pageable"):
        config = configure(mode, steps=8)
        watched, plain = record(config).run, execute(config)
        assert watched.device.log == plain.device.log
        assert watched.device.spans == plain.device.spans
        assert watched.texts == plain.texts


def test_a_copy_under_way_shows_which_rows_have_arrived():
    recording = recorded("async")
    log = recording.run.device.log
    copy = next(op for op in log if op.name == "h2d tokens" and op.step == 3)
    (access,) = copy.writes
    seen = []
    for at_ns in [t for t in recording.times if copy.start_ns <= t <= copy.end_ns]:
        (state,) = [
            b for b in recording.buffers_at(at_ns, "device inputs") if b.info.index == access.buffer
        ]
        seen.append(len(state.pending))
        arrived = [row for row in access.rows if row not in state.pending]
        assert {state.cells[row].op for row in arrived} <= {copy.seq}
    assert seen[0] == len(access.rows) and seen[-1] == 0
    assert sorted(seen, reverse=True) == seen and len(set(seen)) > 2


def test_every_kind_of_host_place_points_to_its_line():
    recording = recorded("async")
    found = (recording.at(at_ns).host for at_ns in recording.times)
    places = {(place.doing, place.name): place.line for place in found}
    lines = source()
    assert 'device.host("schedule"' in lines[places["works", "schedule"] - 1]
    assert "h2d.copy(" in lines[places["calls", "h2d tokens"] - 1]
    assert "d2h_done.synchronize()" in lines[places["waits", "wait d2h_done"] - 1]
    assert "compute.wait(batch.h2d_done)" in lines[places["calls", "h2d_done"] - 1]


def test_a_run_of_timing_alone_is_shown_without_contents():
    recording = record(configure("async", steps=6, compute=False))
    at_ns = recording.times[len(recording.times) // 2]
    assert recording.at(at_ns).batches and recording.at(at_ns).requests
    assert not any(state.cells for state in recording.buffers_at(at_ns, *IO))


def test_a_journal_without_a_run_says_so():
    with pytest.raises(RuntimeError, match=r"give it to engine\.execute"):
        _ = Journal().history
