"""Random programs on threads: what must be in order is, and what does not race is as modelled."""

from contextlib import closing

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from engine.checker.happens_before import SYNC_KINDS, clocks
from engine.checker.hazards import find_hazards
from engine.device.cost import CostModel
from engine.device.settings import Settings
from engine.device.threads import ThreadsDevice
from engine.oplog import NONE
from tests.engine.device.bench import DEVICE_KINDS, virtual
from tests.engine.device.programs import Session, calls, programs, streams

quick = settings(max_examples=60)


def on_threads(program, kinds):
    with closing(ThreadsDevice(Settings(CostModel()))) as device:
        return Session(device, kinds).run(program)


def said(log):
    """What a log says without its times."""
    return [
        (op.kind, op.name, op.stream, op.reads, op.writes, op.target, op.graph, op.replay)
        for op in log
    ]


@quick
@given(programs, streams)
def test_what_happens_before_in_the_log_has_happened_before_on_the_clock(program, kinds):
    log = on_threads(program, kinds).device.log
    ops = {op.seq: op for op in log}
    for op, clock in zip(log, clocks(log), strict=True):
        if op.kind in DEVICE_KINDS:
            for seq in clock:
                if seq != NONE and ops[seq].kind in DEVICE_KINDS:
                    assert ops[seq].end_ns <= op.start_ns
        elif op.kind in SYNC_KINDS and op.target != NONE:
            before = [o for o in log.ops[: op.target] if o.stream == log.ops[op.target].stream]
            assert all(o.end_ns <= op.issue_ns for o in before if o.kind in DEVICE_KINDS)


def no_query(call):
    return call.verb != "query event"  # what it answers is a matter of timing


@quick
@given(st.lists(calls.filter(no_query), min_size=1, max_size=16), streams)
def test_a_program_leaves_the_same_log_as_on_the_modelled_clock(program, kinds):
    modelled = Session(virtual(), kinds).run(program)
    assert said(on_threads(program, kinds).device.log) == said(modelled.device.log)


@st.composite
def waiting_programs(draw):
    """Programs that wait for the device after most calls."""
    program = []
    for call in draw(st.lists(calls.filter(no_query), min_size=1, max_size=10)):
        program.append(call)
        if draw(st.integers(0, 3)):
            program.append(call._replace(verb="sync device"))
    return program


@quick
@given(waiting_programs(), streams)
def test_what_does_not_race_comes_out_as_on_the_modelled_clock(program, kinds):
    modelled = Session(virtual(), kinds).run(program)
    assume(not find_hazards(modelled.device.log))
    real = on_threads(program, kinds)
    assert (real.contents(), real.seen) == (modelled.contents(), modelled.seen)
