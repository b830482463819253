"""A finished run with everything that is shown of it, worked out once and when asked for.

It joins what `engine` and `traces` say of a run; it judges nothing itself.
"""

from dataclasses import dataclass
from functools import cached_property

import pandas as pd

from engine import Run
from engine.mechanisms.switched import Switched, switched
from engine.results.figures import Figures
from engine.results.token_diff import TokenDiff
from lab.picture.lanes import Lane, make_lanes
from traces import Gap, Trace, idle_stretches, trace_bytes


@dataclass(eq=False)
class Study:
    """A run and its figures, gaps and lanes."""

    run: Run

    @property
    def trace(self) -> Trace:
        """The run as a trace."""
        return self.run.trace

    @cached_property
    def kernels(self) -> pd.DataFrame:
        """The spans of the run's kernels."""
        spans = self.trace.spans
        return spans[spans["kind"] == "kernel"]

    @cached_property
    def gaps(self) -> list[Gap]:
        """Idle stretches of the device with their causes."""
        return self.run.gaps

    @cached_property
    def numbers(self) -> Figures:
        """Wall time, GPU active and the rest."""
        return self.run.figures

    @cached_property
    def lanes(self) -> list[Lane]:
        """The lanes of the picture."""
        return make_lanes(self.trace, idle_stretches(self.trace))

    @cached_property
    def diff(self) -> TokenDiff | None:
        """Tokens against the sync baseline; None for a run of timing alone."""
        return self.run.token_diff

    @cached_property
    def switched(self) -> tuple[list[Switched], list[str]]:
        """Toggles off their right value with what came of each, and what none accounts for."""
        return switched(self.run)

    @cached_property
    def bound(self) -> "Bound":
        """What no order of this run's work can beat; asked of a sync baseline."""
        numbers = self.numbers
        return bound_of(self.trace, numbers.wall_ms - numbers.gpu_idle_ms, self.run.steps)

    @cached_property
    def file(self) -> bytes:
        """The trace as a .json.gz file."""
        return trace_bytes(self.trace)


@dataclass(frozen=True)
class Bound:
    """What no order of work can beat: G of GPU work and C + F of host work a step, in ms."""

    gpu_ms: float
    host_ms: float

    @property
    def step_ms(self) -> float:
        """max(G, C + F): with both sides busy, the longer one sets the pace."""
        return max(self.gpu_ms, self.host_ms)


def bound_of(trace: Trace, kernel_ms: float, steps: int) -> Bound:
    """G and C + F of a run: its kernels, and its host work without the waits, a step."""
    steps, host = max(1, steps), trace.host_spans()
    waits = host["kind"].eq("sync") | host["name"].eq("wait") | host["kind"].eq("launch")
    host_ns = int(host.loc[~waits, "dur_ns"].sum())
    return Bound(kernel_ms / steps, host_ns / 1e6 / steps)
