"""Laws of the virtual device, tried on random programs of copies, kernels, events and syncs."""

from collections import defaultdict

from hypothesis import example, given, settings
from hypothesis import strategies as st

from engine.checker.happens_before import clocks
from engine.oplog import HOST, OpKind, StreamKind
from tests.engine.device.bench import COST, DEVICE_KINDS, device_ops, frozen, virtual
from tests.engine.device.programs import Call, Session, costs, programs, replay, streams

ANY, PLAIN = costs(sharing=True), costs(sharing=False)
SEEDS = st.integers(0, 3)


def run(program, kinds, cost, **options):
    return Session(virtual(COST, **cost, **options), kinds).run(program)


def causes(log):
    """For every copy and kernel: the instants before which it may not start.

    These are its issue, the end of the operation before it in its stream, and the ends of
    what its stream waits for. A second telling of the rules, without any queue.
    """
    kinds = {stream.index: stream.kind for stream in log.streams}
    last = defaultdict(int)  # per stream: when all its work and waits so far are over
    recorded = {}
    for op in log:
        if op.kind not in (*DEVICE_KINDS, OpKind.RECORD, OpKind.WAIT):
            continue
        ready = last[op.stream]
        for other, kind in kinds.items():
            if {kind, kinds[op.stream]} == {StreamKind.DEFAULT, StreamKind.BLOCKING}:
                ready = max(ready, last[other])
        if op.kind is OpKind.WAIT:
            ready = max(ready, recorded.get(op.target, 0))
        if op.kind is OpKind.RECORD:
            recorded[op.seq] = ready
        if op.kind in DEVICE_KINDS:
            yield op, max(op.issue_ns, ready)
            ready = op.end_ns
        last[op.stream] = ready


@settings(max_examples=150)
@given(programs, streams, ANY, SEEDS)
def test_an_operation_starts_at_the_latest_of_its_causes_and_not_later(program, kinds, cost, seed):
    device = run(program, kinds, cost, jitter_percent=20, seed=seed).device
    copies = [op for op in device_ops(device) if op.kind is not OpKind.KERNEL]
    for op, ready_ns in causes(device.log):
        if op.kind is OpKind.KERNEL:
            assert op.start_ns == ready_ns
            continue
        engine = [c for c in copies if c is not op]
        if cost["copy_engines"] == 2:
            engine = [c for c in engine if c.kind is op.kind]
        assert all(c.end_ns <= op.start_ns or c.start_ns >= op.end_ns for c in engine)
        # From the latest cause to the start the engine has been at work without a pause.
        free_ns = ready_ns
        for copy in sorted(engine, key=lambda c: c.start_ns):
            if copy.start_ns <= free_ns < copy.end_ns:
                free_ns = copy.end_ns
        assert op.start_ns == free_ns


@settings(max_examples=100)
@given(programs, streams, ANY, SEEDS)
def test_a_stream_is_a_fifo(program, kinds, cost, seed):
    device = run(program, kinds, cost, jitter_percent=20, seed=seed).device
    ends = defaultdict(int)
    for op in device_ops(device):
        assert ends[op.stream] <= op.start_ns <= op.end_ns
        ends[op.stream] = op.end_ns


@settings(max_examples=150)
@given(programs, streams, ANY, SEEDS)
def test_whatever_happens_before_is_over_before(program, kinds, cost, seed):
    log = run(program, kinds, cost, jitter_percent=20, seed=seed).device.log
    for op, known in zip(log, clocks(log), strict=True):
        starts_ns = op.start_ns if op.kind in DEVICE_KINDS else op.issue_ns
        for earlier in log.ops[: op.seq]:
            if earlier.kind in DEVICE_KINDS and earlier.seq <= known[earlier.stream]:
                if op.kind in DEVICE_KINDS or op.stream == HOST:
                    assert earlier.end_ns <= starts_ns


@given(programs, streams, ANY, SEEDS)
def test_the_same_seed_gives_the_same_log_to_the_byte(program, kinds, cost, seed):
    first, second = (
        run(program, kinds, cost, jitter_percent=20, seed=seed).device for _ in range(2)
    )
    assert repr((first.log, first.spans)) == repr((second.log, second.spans))


@settings(max_examples=100)
@given(programs, streams, ANY, SEEDS)
def test_timing_alone_gives_the_same_times(program, kinds, cost, seed):
    full, timing = (
        run(program, kinds, cost, jitter_percent=20, seed=seed, compute=compute).device
        for compute in (True, False)
    )
    assert repr((full.log, full.spans)) == repr((timing.log, timing.spans))


@given(programs, streams, ANY)
def test_no_time_is_ever_a_float(program, kinds, cost):
    device = run(program, kinds, cost, jitter_percent=33).device
    stamps = [t for op in device.log for t in (op.call_ns, op.issue_ns, op.start_ns, op.end_ns)]
    stamps += [t for span in device.spans for t in (span.start_ns, span.end_ns)]
    assert {type(t) for t in stamps} <= {int}


# A kernel writes over what a copy is fetching, and the host reads half of each.
MIXED = [
    Call("kernel", 0, 0, 0, 0, "layer"),
    Call("d2h", 1, 0, 0, 0, "layer"),
    Call("read", 0, 0, 0, 0, "layer"),
]


@settings(max_examples=150)
@given(programs, streams, PLAIN)
@example(MIXED, [StreamKind.NON_BLOCKING] * 2, {"launch_ns": 25, "chunks": 3})
def test_memory_is_what_the_times_in_the_log_say(program, kinds, cost):
    session = run(program, kinds, cost)
    memory, seen = replay(session.device.log, cost["chunks"])
    assert session.contents() == memory
    assert session.seen == seen


@settings(max_examples=150)
@given(programs, streams, PLAIN, st.integers(0, 400))
def test_a_run_frozen_at_an_instant_is_the_full_run_up_to_there(program, kinds, cost, at_ns):
    full = run(program, kinds, cost).device
    session = None

    def until(device):
        nonlocal session
        session = Session(device, kinds)
        session.run(program)

    was_cut = frozen(virtual(COST, **cost, stop_at_ns=at_ns), until)
    log = session.device.log
    cut = [op for op in full.log if op.issue_ns <= at_ns]
    assert [op.seq for op in log] == [op.seq for op in cut]
    for op, whole in zip(log, cut, strict=True):
        assert op.start_ns == min(whole.start_ns, at_ns)
        assert op.end_ns == min(whole.end_ns, at_ns)
    memory, seen = replay(full.log, cost["chunks"], at_ns)
    assert session.contents() == memory
    assert session.seen == seen
    ends = [op.end_ns for op in device_ops(full)]
    assert was_cut == (max([full.now_ns, *ends]) > at_ns)


@given(programs, streams, PLAIN, st.integers(0, 400))
def test_a_frozen_run_keeps_the_spans_that_had_begun(program, kinds, cost, at_ns):
    full = run(program, kinds, cost).device
    device = virtual(COST, **cost, stop_at_ns=at_ns)
    frozen(device, lambda device: Session(device, kinds).run(program))
    begun = [span for span in full.spans if span.start_ns <= at_ns]
    assert len(device.spans) == len(begun)
    for span, whole in zip(device.spans, begun, strict=True):
        assert (span.name, span.start_ns) == (whole.name, whole.start_ns)
        assert span.end_ns == min(whole.end_ns, at_ns)
