"""A discrete-event simulation of a GPU's queues on an integer-nanosecond clock.

Tasks stand in FIFO streams. A task starts at the latest of: its issue, the end of
the task before it in its stream, the ends of the tasks it depends on, and its copy
engine being free. Kernels of different streams run together; where they ask for
more than the device has, they slow down in proportion (streams of higher priority
are served first). Effects happen in time order; at one instant first the effects of
running tasks in enqueue order, then the starts in enqueue order.

What this module does not know: torch, buffers, events by name, the engine.
"""

from collections import defaultdict, deque
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction

FULL = 1000
"""The whole device, or the whole memory bandwidth, in permille."""

NEVER = 1 << 62
"""A time later than every other (ns)."""

Effect = Callable[[], None]


@dataclass(slots=True, eq=False)
class Task:
    """One entry of a stream.

    `work_ns` is its duration when nothing slows it down. `marks` are the amounts of
    remaining work (descending, the last is 0) at which `on_mark` is called with the
    mark's index: the chunks of a copy, or just the end of a kernel.
    """

    seq: int
    stream: int
    work_ns: int
    deps: tuple["Task", ...] = ()
    engine: str = ""
    occupancy: int = 0
    bandwidth: int = 0
    priority: int = 0
    marks: tuple[int, ...] = (0,)
    on_start: Effect | None = None
    on_mark: Callable[[int], None] | None = None
    start_ns: int = NEVER
    end_ns: int = NEVER
    done: bool = False
    left_ns: int = 0
    since_ns: int = 0
    next_mark: int = 0
    rate: tuple[int, int] = (1, 1)
    fires_ns: int = NEVER


@dataclass(slots=True)
class Simulator:
    """Streams, running tasks and the device's clock.

    `on_done` is called with every finished task; it lets the owner copy times out.
    """

    on_done: Callable[[Task], None]
    now_ns: int = 0
    queues: list[deque[Task]] = field(default_factory=list)
    running: list[Task] = field(default_factory=list)
    next_ns: int = NEVER
    busy_engines: set[str] = field(default_factory=set)

    def add_stream(self) -> int:
        """Make an empty stream; returns its number."""
        self.queues.append(deque())
        return len(self.queues) - 1

    def enqueue(self, task: Task, issue_ns: int) -> None:
        """Put a task behind its stream at host time `issue_ns` (not in the past)."""
        if issue_ns > self.now_ns:
            self.advance(issue_ns)
        queue = self.queues[task.stream]
        queue.append(task)
        if len(queue) == 1:
            self._start_ready()

    def advance(self, until_ns: int) -> None:
        """Let everything happen that happens up to and including `until_ns`."""
        while self.next_ns <= until_ns:
            self._step()
        if until_ns > self.now_ns:
            self.now_ns = until_ns

    def run_until(self, task: Task, limit_ns: int = NEVER) -> bool:
        """Let time pass until `task` is done, at most to `limit_ns`; True when it is done.

        Raises RuntimeError when it can never finish (it waits for itself).
        """
        while not task.done:
            if self.next_ns > limit_ns:
                self.advance(limit_ns)
                return False
            if self.next_ns == NEVER:
                raise RuntimeError(f"operation {task.seq} waits for something that never happens")
            self._step()
        return True

    def _step(self) -> None:
        self.now_ns = now = self.next_ns
        firing = [task for task in self.running if task.fires_ns == now]
        if len(firing) > 1:
            firing.sort(key=lambda task: task.seq)
        for task in firing:
            self._fire(task)
        self._start_ready()

    def _fire(self, task: Task) -> None:
        """Apply the effect of the mark that `task` has reached; the last mark ends it."""
        if task.on_mark is not None:
            task.on_mark(task.next_mark)
        task.next_mark += 1
        if task.next_mark == len(task.marks):
            self.running.remove(task)
            self._finish(task)

    def _finish(self, task: Task) -> None:
        task.done = True
        task.end_ns = self.now_ns
        self.queues[task.stream].popleft()
        if task.engine:
            self.busy_engines.discard(task.engine)
        self.on_done(task)

    def _start_ready(self) -> None:
        """Start, in enqueue order, every stream head that may start now."""
        while True:
            ready: Task | None = None
            for queue in self.queues:
                if queue:
                    head = queue[0]
                    if head.start_ns == NEVER and (ready is None or head.seq < ready.seq):
                        if self._may_start(head):
                            ready = head
            if ready is None:
                break
            self._start(ready)
        self._schedule_next()

    def _may_start(self, task: Task) -> bool:
        if task.engine in self.busy_engines:
            return False
        for dep in task.deps:
            if not dep.done:
                return False
        return True

    def _start(self, task: Task) -> None:
        task.start_ns = task.since_ns = self.now_ns
        if task.on_start is not None:
            task.on_start()
        if task.work_ns == 0:
            if task.on_mark is not None:
                for mark in range(len(task.marks)):
                    task.on_mark(mark)
            self._finish(task)
            return
        task.left_ns = task.work_ns
        if task.engine:
            self.busy_engines.add(task.engine)
        self.running.append(task)

    def _schedule_next(self) -> None:
        """Share the device among the running tasks and find the next instant."""
        running = self.running
        if len(running) > 1:
            self._share()
        elif running and running[0].rate != (1, 1):
            _set_rate(running[0], (1, 1), self.now_ns)
        soonest = NEVER
        for task in running:
            task.fires_ns = _fires(task)
            if task.fires_ns < soonest:
                soonest = task.fires_ns
        self.next_ns = soonest

    def _share(self) -> None:
        """Give every running task its rate: its share of occupancy and of bandwidth.

        A task slowed by occupancy asks for less bandwidth; bandwidth knows no priorities.
        """
        running = self.running
        if (
            sum(task.occupancy for task in running) <= FULL
            and sum(task.bandwidth for task in running) <= FULL
        ):
            for task in running:
                if task.rate != (1, 1):
                    _set_rate(task, (1, 1), self.now_ns)
            return
        rates = self._occupancy_rates()
        asked = sum(task.bandwidth * rate for task, rate in zip(running, rates, strict=True))
        for task, rate in zip(running, rates, strict=True):
            if task.bandwidth and asked > FULL:
                rate *= Fraction(FULL) / asked
            _set_rate(task, rate.as_integer_ratio(), self.now_ns)

    def _occupancy_rates(self) -> list[Fraction]:
        """The rate of every running task as far as occupancy goes: high priority first."""
        wanted: dict[int, int] = defaultdict(int)
        for task in self.running:
            wanted[task.priority] += task.occupancy
        free = FULL
        rates: dict[int, Fraction] = {}
        for priority in sorted(wanted):
            rates[priority] = Fraction(min(free, wanted[priority]), wanted[priority] or 1)
            free = max(0, free - wanted[priority])
        return [rates[task.priority] if task.occupancy else Fraction(1) for task in self.running]


def _settle(task: Task, now_ns: int) -> None:
    """Book the work done since the last change of rate."""
    numerator, denominator = task.rate
    task.left_ns -= (now_ns - task.since_ns) * numerator // denominator
    task.since_ns = now_ns


def _set_rate(task: Task, rate: tuple[int, int], now_ns: int) -> None:
    if rate != task.rate:
        _settle(task, now_ns)
        task.rate = rate


def _fires(task: Task) -> int:
    """When the task reaches its next mark at its present rate (ns)."""
    numerator, denominator = task.rate
    if numerator == 0:
        return NEVER
    work = max(0, task.left_ns - task.marks[task.next_mark])
    return task.since_ns - (-work * denominator // numerator)
