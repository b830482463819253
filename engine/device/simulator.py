"""A discrete-event simulation of a GPU's queues on an integer-nanosecond clock.

Tasks stand in FIFO streams. A task starts at the latest of: its issue, the end of
the task before it in its stream, the ends of the tasks it depends on, and its copy
engine being free. Kernels of different streams run together; where they ask for
more than the device has, they slow down in proportion (streams of higher priority
are served first). Effects happen in time order; at one instant first the effects of
running tasks in enqueue order, then the starts in enqueue order.

What this module does not know: torch, buffers, events by name, the engine.
"""

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from heapq import heapify, heappop, heappush
from typing import Protocol

import msgspec

FULL = 1000
"""The whole device, or the whole memory bandwidth, in permille."""

NEVER = 1 << 62
"""A time later than every other (ns)."""

Effect = Callable[[], None]
Tasks = tuple["Task", ...]


class Times(Protocol):
    """Where the simulator writes when a task has run (ns)."""

    start_ns: int
    end_ns: int


class Task(msgspec.Struct, eq=False, gc=False):
    """One entry of a stream. When it starts and ends is written into `times`.

    `work_ns` is its duration when nothing slows it down. `marks` are the amounts of
    remaining work (descending, the last is 0) at which `on_mark` is called with the
    mark's index: the chunks of a copy, or just the end of a kernel. At `since_ns`,
    `worked_ns` of the work were done, and `rate` is its speed from then on. `waits_for`
    counts the tasks that must end before this one starts; `followers` wait for this one.
    """

    seq: int
    stream: int
    work_ns: int
    times: Times
    engine: str = ""
    occupancy: int = 0
    bandwidth: int = 0
    priority: int = 0
    marks: tuple[int, ...] = (0,)
    on_start: Effect | None = None
    on_mark: Callable[[int], None] | None = None
    done: bool = False
    next_mark: int = 0
    worked_ns: int = 0
    since_ns: int = NEVER
    rate: tuple[int, int] = (1, 1)
    waits_for: int = 0
    followers: tuple["Task", ...] = ()


@dataclass(slots=True)
class Simulator:
    """Streams, running tasks and the device's clock.

    `tails` holds what the next task of each stream stands behind. `ready` is a heap of (`seq`,
    task) that wait for nothing but their copy engine, `running` one of (time of the next mark,
    `seq`, task); `next_ns` is the first of these times. `slowed` says that some tasks run below
    full speed.
    """

    now_ns: int = 0
    tails: list[Tasks] = field(default_factory=list)
    ready: list[tuple[int, Task]] = field(default_factory=list)
    running: list[tuple[int, int, Task]] = field(default_factory=list)
    next_ns: int = NEVER
    busy_engines: set[str] = field(default_factory=set)
    slowed: bool = False

    def add_stream(self) -> int:
        """Make an empty stream; returns its number."""
        self.tails.append(())
        return len(self.tails) - 1

    def enqueue(self, task: Task, issue_ns: int) -> None:
        """Put a task behind its stream at host time `issue_ns` (not in the past)."""
        if issue_ns > self.now_ns:
            if self.next_ns <= issue_ns:
                self.advance(issue_ns)
            self.now_ns = issue_ns
        waits_for = 0
        for other in self.tails[task.stream]:
            if not other.done:
                other.followers += (task,)
                waits_for += 1
        self.tails[task.stream] = (task,)
        if waits_for:
            task.waits_for = waits_for
        else:
            heappush(self.ready, (task.seq, task))
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

    def unfinished(self) -> list[Task]:
        """The tasks that run or wait."""
        found = [task for *_, task in self.running] + [task for _, task in self.ready]
        known = {task.seq for task in found}
        for task in found:
            new = [follower for follower in task.followers if follower.seq not in known]
            known.update(follower.seq for follower in new)
            found += new
        return found

    def _step(self) -> None:
        """Go to the next instant: first the effects and ends that fall on it, then the starts."""
        running, now_ns = self.running, self.next_ns
        self.now_ns = now_ns
        firing = [heappop(running)[2]]
        while running and running[0][0] == now_ns:
            firing.append(heappop(running)[2])
        for task in firing:
            mark = task.next_mark
            if task.on_mark is not None:
                task.on_mark(mark)
            if task.marks[mark]:
                task.next_mark = mark + 1
                heappush(running, (_fires(task), task.seq, task))
            else:
                self._end(task)
        self._start_ready()

    def _end(self, task: Task) -> None:
        task.done = True
        task.on_start = task.on_mark = None
        task.times.end_ns = self.now_ns
        if task.engine:
            self.busy_engines.discard(task.engine)
        for follower in task.followers:
            follower.waits_for -= 1
            if follower.waits_for == 0:
                heappush(self.ready, (follower.seq, follower))
        task.followers = ()

    def _start_ready(self) -> None:
        """Start, in enqueue order, what is ready and finds its copy engine free; then share
        the device among all that runs and find the next instant."""
        ready, running = self.ready, self.running
        if ready:
            held = []
            while ready:
                seq, task = heappop(ready)
                if task.engine in self.busy_engines:
                    held.append((seq, task))
                else:
                    self._start(task)
            ready += held
        if len(running) > 1 or self.slowed:
            self._share()
        self.next_ns = running[0][0] if running else NEVER

    def _start(self, task: Task) -> None:
        task.since_ns = task.times.start_ns = now_ns = self.now_ns
        if task.on_start is not None:
            task.on_start()
        if task.work_ns == 0:
            if task.on_mark is not None:
                for mark in range(len(task.marks)):
                    task.on_mark(mark)
            self._end(task)
            return
        if task.engine:
            self.busy_engines.add(task.engine)
        heappush(self.running, (now_ns + task.work_ns - task.marks[0], task.seq, task))

    def _share(self) -> None:
        """Give every running task its rate: its share of occupancy and of bandwidth.

        A task slowed by occupancy asks for less bandwidth; bandwidth knows no priorities.
        A task alone on the device has all of it, whatever it asks for.
        """
        occupancy = bandwidth = 0
        for _, _, task in self.running:
            occupancy += task.occupancy
            bandwidth += task.bandwidth
        crowded = len(self.running) > 1 and (occupancy > FULL or bandwidth > FULL)
        if not (crowded or self.slowed):
            return
        self.slowed = crowded
        running = [task for _, _, task in self.running]
        asked = tuple((task.priority, task.occupancy, task.bandwidth) for task in running)
        rates = _rates(asked) if crowded else ((1, 1),) * len(running)
        for task, rate in zip(running, rates, strict=True):
            _set_rate(task, rate, self.now_ns)
        self.running[:] = [(_fires(task), task.seq, task) for task in running]
        heapify(self.running)


Asked = tuple[tuple[int, int, int], ...]
"""(priority, occupancy, bandwidth) of every running task."""


@lru_cache(maxsize=1024)
def _rates(asked: Asked) -> tuple[tuple[int, int], ...]:
    """The rates of tasks that ask for more than the device has, as fractions."""
    rates = _occupancy_rates(asked)
    bandwidth = sum(ask[2] * rate for ask, rate in zip(asked, rates, strict=True))
    if bandwidth > FULL:
        slower = Fraction(FULL) / bandwidth
        rates = [r * slower if ask[2] else r for ask, r in zip(asked, rates, strict=True)]
    return tuple(rate.as_integer_ratio() for rate in rates)


def _occupancy_rates(asked: Asked) -> list[Fraction]:
    """The rate of every running task as far as occupancy goes: high priority first."""
    wanted: dict[int, int] = defaultdict(int)
    for priority, occupancy, _ in asked:
        wanted[priority] += occupancy
    free = FULL
    rates: dict[int, Fraction] = {}
    for priority in sorted(wanted):
        rates[priority] = Fraction(min(free, wanted[priority]), wanted[priority] or 1)
        free = max(0, free - wanted[priority])
    return [rates[priority] if occupancy else Fraction(1) for priority, occupancy, _ in asked]


def _set_rate(task: Task, rate: tuple[int, int], now_ns: int) -> None:
    """Change a task's speed; what it has done so far at the old one is booked."""
    if rate != task.rate:
        numerator, denominator = task.rate
        task.worked_ns += (now_ns - task.since_ns) * numerator // denominator
        task.since_ns = now_ns
        task.rate = rate


def _fires(task: Task) -> int:
    """When the task reaches its next mark at its present rate (ns)."""
    numerator, denominator = task.rate
    if numerator == 0:
        return NEVER
    work = max(0, task.work_ns - task.worked_ns - task.marks[task.next_mark])
    return task.since_ns - (-work * denominator // numerator)
