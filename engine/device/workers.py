"""A device's streams as threads: what is queued is done by one worker a stream, at once.

Host spans, operations and waits carry the times that a clock on the wall shows. Where the cost
model says how long something takes, it is stretched to that by sleeping.

What this module does not know: what operations do (`engine.device.threads`).
"""

from collections.abc import Iterator
from contextlib import contextmanager

from engine.device.acts import Act
from engine.device.api import HostSpan, Stream
from engine.device.cost import BESIDE
from engine.device.host_calls import HostCalls
from engine.device.settings import Settings
from engine.device.wall_clock import WallClock, quick_switching
from engine.device.worker import Engine, Failure, Work, Worker
from engine.oplog import Op, OpKind, StreamKind

Works = tuple[Work, ...]


class Workers(HostCalls[Work]):
    """Host calls on the wall's clock, with a thread for every stream. To be closed.

    `_due_ns` is where the host would be, had the system woken it in time whenever it slept, and
    `_since_ns` when it was woken last: so late wake-ups are made up for, and a paced run keeps
    the cost model's pace.
    """

    _work: type[Work] = Work

    def __init__(self, settings: Settings) -> None:
        self._delays = settings.delays
        self._clock = WallClock()
        self._failure = Failure(self._clock)
        self._workers: list[Worker] = []
        self._tails: list[Works] = []
        self._due_ns = self._since_ns = 0
        self._closed = False
        h2d, d2h = Engine(), Engine()
        self._copy_engines = {
            OpKind.H2D: h2d, OpKind.D2H: h2d if settings.cost.copy_engines == 1 else d2h,
        }  # fmt: skip
        quick_switching.hold()
        super().__init__(settings, self._tails)

    @property
    def now_ns(self) -> int:
        """Time since the first host work (ns)."""
        return self._clock.now_ns

    def _add_stream(self, name: str, kind: StreamKind, priority: int) -> Stream:
        self._begin_stream(name, kind, priority)
        self._tails.append(())
        return super()._add_stream(name, kind, priority)

    def _begin_stream(self, name: str, kind: StreamKind, priority: int) -> None:
        """Whoever does a new stream's work."""
        self._workers.append(Worker(name, self._clock, self._failure))

    @contextmanager
    def host(self, name: str, units: int = 1) -> Iterator[None]:
        """A span of host work: what is done in it counts towards its time, waits come on top."""
        span = self._span(name)
        try:
            yield
            self._pass(self.cost.host_work_ns(name, units))
        finally:
            span.end_ns = self.now_ns
        if name == "launch" and BESIDE in self.cost.host_ns:
            with self.host(BESIDE):
                pass

    def finish(self) -> None:
        """Let the device run dry; for the end of a run. Raises DeviceError."""
        self._await(self._order.everything())

    def close(self) -> None:
        """Call off what is left and end every thread."""
        self._clock.called_off.set()
        for worker in self._workers:
            worker.end()
        if not self._closed:
            quick_switching.let_go()
        self._workers, self._closed = [], True
        super().close()

    def _enqueue(self, op: Op, act: Act | None, pace_ns: int) -> Work:
        """Queue an operation that has just been logged."""
        self._failure.check()
        if self._order.barring[op.stream]:
            self._bar(op)
        engine = self._copy_engines.get(op.kind) or Engine()
        pace_ns, delay_ns = self._jitter.apply(pace_ns), self._delays.get(op.name, 0)
        after = self._tails[op.stream]
        work = self._work(op, act, after, engine, self._due_ns, pace_ns, delay_ns)
        if self._fault is not None and self._fault.strikes(op, work):
            work.act = None
        self._tails[op.stream] = (work,)
        self._begin(work)
        return work

    def _begin(self, work: Work) -> None:
        """Hand work to whoever does it."""
        self._workers[work.op.stream].put(work)

    def _block(self, entries: Works, name: str, waits_for: str) -> None:
        """The host waits: a span as long as the wait. Raises DeviceError."""
        span = self._span(name, waits_for)
        try:
            self._await(entries)
        finally:
            span.end_ns = self.now_ns

    def _await(self, works: Works) -> None:
        self._pass(0)
        for work in works:
            work.finished.wait()
            self._due_ns = max(self._due_ns, work.due_ns)
        self._since_ns = self.now_ns
        self._failure.check()

    def _pass(self, cost_ns: int) -> None:
        """Let the host's time pass: what it has really worked since then counts."""
        worked_ns = self.now_ns - self._since_ns
        self._due_ns += max(worked_ns, self._jitter.apply(cost_ns))
        self._clock.sleep_until(self._due_ns)
        self._since_ns = self.now_ns

    def _span(self, name: str, waits_for: str = "") -> HostSpan:
        """A host span that begins now; whoever opens it says when it ends."""
        at, now_ns = self.context, self.now_ns
        span = HostSpan(name, now_ns, now_ns, at.step, at.slot, at.cause, waits_for)
        self.spans.append(span)
        return span
