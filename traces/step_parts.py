"""What each step's time is made of: host work before and after its launches, kernels, copies.

Our own dumps say of every span which step it belongs to. In other traces a step is a stretch
of the launching thread: what it launched in there is the step's, whenever that ran.
"""

from dataclasses import dataclass, replace
from typing import Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from traces import intervals
from traces.activity import span_union
from traces.gaps import wall_ns
from traces.schema import NONE, Trace
from traces.steps import Steps

QUEUE_FULL_NS = 100_000
"""A launch that takes longer while the device works waits for room in the queue: the host is
ahead, and has nothing to do."""

DIRECTED = ("h2d", "d2h")

GO_ON = "go on launching"
"""The engine's word for the part of C behind its last call."""


@dataclass(frozen=True)
class StepParts:
    """One step in ns: `prepare` host work up to the last launch (C), `compute` kernels (G),
    `finish` host work after it (F), copies in and out that no kernel of the step covers, and
    `together`, how long the host worked on this step while the device did so too."""

    prepare_ns: int
    copy_in_ns: int
    compute_ns: int
    copy_out_ns: int
    finish_ns: int
    together_ns: int

    @property
    def host_ns(self) -> int:
        """C + F."""
        return self.prepare_ns + self.finish_ns

    @property
    def alone_ns(self) -> int:
        """How long the step takes where nothing of any other step runs beside it."""
        device = self.copy_in_ns + self.compute_ns + self.copy_out_ns
        return self.host_ns + device - self.together_ns


def engine_parts(trace: Trace) -> list[StepParts]:
    """The parts of each step of our own dump, in order of the steps."""
    host, ops = (
        _Spans.of(spans).by(spans["step"].to_numpy())
        for spans in (trace.host_spans(), trace.gpu_spans())
    )
    parts = []
    for step in sorted(host.keys() - {NONE}):
        spans = host[step]
        waiting = spans.union(spans.kind == "sync")
        work = intervals.subtraction(spans.union(spans.kind != "sync"), waiting)
        parts.append(_parts(work, spans.last_launch_ns, ops.get(step, _NOTHING)))
    return parts


def window_parts(trace: Trace, steps: Steps) -> list[StepParts]:
    """The parts of each step that was found in another profiler's trace.

    The host works on a step from the launch of the step's first operation (or from its mark on
    the host) to the next step's. All that is no wait counts as work, traced or not. Looks at
    the thread that launches most, and the device it launches most on. Raises ValueError where
    there are no steps, or no launch leads to an operation.
    """
    if not steps.count:
        raise ValueError("there are no steps")
    track, ops = busiest(trace)
    launched = issued(trace, ops)
    starts = np.array([step.start_ns for step in steps.steps])
    end = steps.steps[-1].end_ns
    if steps.on_device:
        first = np.searchsorted(ops["ts_ns"].to_numpy(), starts)
        starts, end = launched[np.minimum(first, len(ops) - 1)], wall_ns(trace)[1]
    edges = np.maximum.accumulate([*starts, end])
    step_of_op = np.searchsorted(edges, launched, side="right") - 1
    host = trace.host_spans()
    host = host[host["track"] == track]
    step_of_call = np.searchsorted(edges, host["ts_ns"].to_numpy(), side="right") - 1
    waiting = waits(host, span_union(ops))
    calls, operations = _Spans.of(host).by(step_of_call), _Spans.of(ops).by(step_of_op)
    parts = []
    for number, (start_ns, end_ns) in enumerate(zip(edges[:-1], edges[1:], strict=True)):
        window = intervals.union([start_ns], [end_ns])
        first = waiting[:, 1].searchsorted(start_ns, side="right")
        last = waiting[:, 0].searchsorted(end_ns, side="left")
        work = intervals.subtraction(window, waiting[first:last])
        launched_ns = calls.get(number, _NOTHING).last_launch_ns
        parts.append(_parts(work, launched_ns, operations.get(number, _NOTHING)))
    return parts


def busiest(trace: Trace) -> tuple[str, pd.DataFrame]:
    """The thread that launched most, and the operations of the device it launched most on."""
    launches = trace.flows[trace.flows["kind"] == "launch"]
    if launches.empty:
        raise ValueError("no operation can be traced back to its launch")
    tracks = trace.spans["track"].reindex(launches["src"]).to_numpy()
    track = pd.Series(tracks).mode().iloc[0]
    ops = trace.gpu_spans()
    launched = ops.loc[ops.index.isin(launches["dst"][tracks == track]), "device"]
    return track, ops[ops["device"] == launched.mode().iloc[0]] if len(launched) else ops


def issued(trace: Trace, ops: pd.DataFrame) -> NDArray[np.int64]:
    """When each operation was launched (ns); when it started where no launch is recorded."""
    launches = trace.flows[trace.flows["kind"] == "launch"].drop_duplicates("dst")
    launch_of = pd.Series(launches["src"].to_numpy(), index=launches["dst"].to_numpy())
    sources = launch_of.reindex(ops.index, fill_value=NONE).to_numpy()
    launched = trace.spans["ts_ns"].reindex(sources, fill_value=0).to_numpy()
    return np.where(sources == NONE, ops["ts_ns"].to_numpy(), launched)


@dataclass(frozen=True)
class _Spans:
    """Some spans as columns: thousands of steps are too many for a frame each."""

    start_ns: NDArray[np.int64]
    end_ns: NDArray[np.int64]
    kind: NDArray[np.object_]
    is_launch: NDArray[np.bool_]

    @classmethod
    def of(cls, spans: pd.DataFrame) -> Self:
        """The columns of a frame."""
        start, kind = spans["ts_ns"].to_numpy(), spans["kind"].to_numpy(dtype=object)
        is_launch = (kind == "launch") | (spans["name"] == GO_ON).to_numpy()
        return cls(start, start + spans["dur_ns"].to_numpy(), kind, is_launch)

    def by(self, steps: NDArray[np.int64]) -> dict[int, Self]:
        """Those of each step, in their order; `steps` has a number for each span."""
        order = np.argsort(steps, kind="stable")
        numbers, first = np.unique(steps[order], return_index=True)
        rows = np.split(order, first[1:])
        return {
            number: replace(self, **{name: column[chosen] for name, column in vars(self).items()})
            for number, chosen in zip(numbers.tolist(), rows, strict=bool(len(numbers)))
        }

    def union(self, chosen: NDArray[np.bool_]) -> intervals.Intervals:
        """The instants at which at least one of the chosen ones ran."""
        return intervals.union(self.start_ns[chosen], self.end_ns[chosen])

    @property
    def last_launch_ns(self) -> int:
        """When the last launch returned; before all time without one."""
        return int(self.end_ns[self.is_launch].max(initial=_BEFORE_ALL_NS))


_BEFORE_ALL_NS = -(1 << 62) + 1
_NOTHING = _Spans(*(np.empty(0, dtype=type_) for type_ in (np.int64, np.int64, object, bool)))


def _parts(work: intervals.Intervals, launched_ns: int, ops: _Spans) -> StepParts:
    """From the host's work for a step, the end of its last launch, and its operations."""
    until = intervals.union([_BEFORE_ALL_NS - 1], [launched_ns])
    prepare = intervals.total(intervals.intersection(work, until))
    into, out = ((ops.kind == kind) for kind in DIRECTED)
    kernels = ops.union(~(into | out))
    copies = [
        intervals.total(intervals.subtraction(ops.union(chosen), kernels)) for chosen in (into, out)
    ]
    return StepParts(
        prepare_ns=prepare,
        copy_in_ns=copies[0],
        compute_ns=intervals.total(kernels),
        copy_out_ns=copies[1],
        finish_ns=intervals.total(work) - prepare,
        together_ns=intervals.total(
            intervals.intersection(work, intervals.union(ops.start_ns, ops.end_ns))
        ),
    )


def waits(host: pd.DataFrame, busy: intervals.Intervals) -> intervals.Intervals:
    """When the thread stood in a wait, or in a launch that found the queue full."""
    waits = span_union(host[host["kind"] == "sync"])
    long = host[(host["kind"] == "launch") & (host["dur_ns"] >= QUEUE_FULL_NS)]
    full = intervals.intersection(span_union(long), busy)
    both = np.concatenate((waits, full))
    return intervals.union(both[:, 0], both[:, 1])
