"""The host's clock and the device's, moving together.

Host work, launches and waits move the host's clock; the simulated device follows, and never
runs ahead of what the host has issued.

What this module does not know: what operations do (`engine.device.virtual`).
"""

from collections.abc import Callable
from functools import cache
from typing import NoReturn

from engine.device.api import HostSpan, Stream
from engine.device.cost import BESIDE, CostModel
from engine.device.host_calls import HostCalls
from engine.device.recorder import HostWork
from engine.device.settings import Settings, Stopped
from engine.device.simulator import NEVER, Simulator, Task, Tasks
from engine.oplog import Op, StreamKind


class LaunchWork(HostWork):
    """What comes behind the launches follows when their block is left."""

    go_on: Callable[[str], object]

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        """Close the span; one of `BESIDE` comes next, as long as the cost model says."""
        super().__exit__(kind, error, trace)
        if kind is None:
            self.go_on(BESIDE)


class Clocks(HostCalls[Task]):
    """Lets time pass, on the host and in the simulated streams."""

    now_ns: int = 0
    _action: Callable[[], None] | None = None

    def __init__(self, settings: Settings) -> None:
        self._stop_at_ns = settings.stop_at_ns
        self._call_at_ns = NEVER
        self._due_ns = self._stop_at_ns + 1
        self._simulator = Simulator()
        super().__init__(settings, self._simulator.tails)
        self.change_cost(settings.cost)

    def change_cost(self, cost: CostModel) -> None:
        """What is begun or called from now on takes the time that `cost` says."""
        self.cost, varied = cost, self._jitter.varied
        self._host_work_ns = varied(cache(cost.host_work_ns))
        self._launch_work_ns = varied(cache(lambda: cost.launch_ns))
        self._kernel_work_ns = varied(cache(cost.kernel_work_ns))
        self._copy_work_ns = varied(cache(cost.copy_work_ns))

    def call_at(self, at_ns: int, action: Callable[[], None]) -> None:
        """Call `action` once the host's clock has reached an instant, between two of its acts."""
        self._call_at_ns, self._action = at_ns, action
        self._due_ns = min(at_ns, self._stop_at_ns + 1)
        if self.now_ns >= at_ns:
            self._call_due()

    def close(self) -> None:
        """As `HostCalls.close`; an action that was not due yet leads back here, too."""
        self._action = None
        super().close()

    def _call_due(self) -> None:
        action, self._action = self._action, None
        self._call_at_ns, self._due_ns = NEVER, self._stop_at_ns + 1
        if action is not None:
            action()

    def _add_stream(self, name: str, kind: StreamKind, priority: int) -> Stream:
        self._simulator.add_stream()
        return super()._add_stream(name, kind, priority)

    def host(self, name: str, units: int = 1) -> HostWork:
        """A span of host work: its time passes first, then what it encloses happens."""
        work_ns = self._host_work_ns(name, units)
        span = self._span(name, work_ns)
        self._pass(work_ns)
        if name == "launch" and BESIDE in self.cost.host_ns:
            return LaunchWork(self, span, self.host)
        return HostWork(self, span)

    def finish(self) -> None:
        """Let the device run dry without the host waiting; for the end of a run."""
        for task in self._order.everything():
            if not self._simulator.run_until(task, self._stop_at_ns):
                self._freeze()

    def _pass(self, cost_ns: int) -> None:
        """Let host time pass; raises Stopped at the instant the run is to be frozen."""
        self.now_ns = now_ns = self.now_ns + cost_ns
        if now_ns >= self._due_ns:
            if now_ns > self._stop_at_ns:
                self._freeze()
            self._call_due()

    def _freeze(self) -> NoReturn:
        """Raise Stopped; what is running or queued at that instant ends there in the log."""
        self.now_ns = self._stop_at_ns
        self._simulator.advance(self.now_ns)
        for task in self._simulator.unfinished():
            if task.since_ns == NEVER:
                task.times.start_ns = self.now_ns
            task.times.end_ns = self.now_ns
        raise Stopped

    def _catch_up(self) -> None:
        self._simulator.advance(self.now_ns)

    def _block(self, entries: Tasks, name: str, waits_for: str) -> None:
        """The host waits for tasks: a span as long as the wait."""
        stop_at_ns = self._stop_at_ns
        span = self._span(name, waits_for=waits_for)
        for task in entries:
            done = self._simulator.run_until(task, stop_at_ns)
            self.now_ns = max(self.now_ns, task.times.end_ns if done else stop_at_ns)
            span.end_ns = self.now_ns
            if not done:
                self._freeze()
        if self.now_ns >= self._call_at_ns:
            self._call_due()

    def _span(self, name: str, length_ns: int = 0, waits_for: str = "") -> HostSpan:
        """A host span that begins now; it ends at the latest where the run is frozen."""
        at, start_ns = self.context, self.now_ns
        end_ns = start_ns + length_ns
        if end_ns > self._stop_at_ns:
            end_ns = self._stop_at_ns
        span = HostSpan(name, start_ns, end_ns, at.step, at.slot, at.cause, waits_for)
        self.spans.append(span)
        return span

    def _enqueue(self, task: Task, op: Op) -> None:
        if self._order.barring[op.stream]:
            self._bar(op)
        self._simulator.enqueue(task, self.now_ns)
