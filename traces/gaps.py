"""Gaps of a trace with their causes.

For engine dumps a gap is a stretch without a *kernel* between the first host work and
the end of the run, and its cause is found by walking back what made the next kernel
wait (`gap_walk`). For other traces a gap is a stretch between the first and the last
GPU event in which *no* stream did anything, and simpler rules apply (`gap_rules`).
Where the gaps are is known long before their causes.
"""

from collections.abc import Mapping, Sequence
from typing import overload

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from traces.activity import span_union
from traces.gap import NOT_ASKED, Gap, GapPart
from traces.gap_rules import LaunchRules
from traces.gap_walk import GapWalk
from traces.intervals import Intervals, complement, union
from traces.schema import NONE, Trace

Int64s = NDArray[np.int64]


def find_gaps(trace: Trace, device: int | None = None) -> list[Gap]:
    """All gaps of one device, or of every device, in order of (device, time).

    A device's gaps and its busy time add up to the wall time (engine dumps) or to the
    span of its GPU events (other traces), and each gap's parts add up to the gap.
    """
    devices = trace.devices if device is None else [device]
    if trace.is_engine_dump:
        return [gap for number in devices for gap in _engine_gaps(trace, number)]
    rules = LaunchRules(trace)
    work = trace.gpu_spans()
    places = work.groupby("device").indices
    columns = [work.index.to_numpy(), work["ts_ns"].to_numpy(), work["dur_ns"].to_numpy()]
    return [
        gap
        for number in devices
        if number in places
        for gap in _other_gaps(rules, number, *(column[places[number]] for column in columns))
    ]


def idle_stretches(trace: Trace) -> dict[int, Intervals]:
    """Start and end (ns) of the same gaps, by device, in the same order: in a trace of a million
    spans known a hundred times as soon as their causes."""
    work = trace.gpu_spans()
    devices = sorted(work["device"].unique().tolist())
    if trace.is_engine_dump:
        start, end = wall_ns(trace)
        kernels = work[(work["kind"] == "kernel") & (work["dur_ns"] > 0)]
        return {d: complement(_busy(kernels, d), start, end) for d in devices}
    own = {device: work[work["device"] == device] for device in devices}
    return {
        device: _between(ops["ts_ns"].to_numpy(), ops["dur_ns"].to_numpy())
        for device, ops in own.items()
    }


def _busy(work: pd.DataFrame, device: int) -> Intervals:
    return span_union(work[work["device"] == device])


def _between(starts: Int64s, lengths: Int64s) -> Intervals:
    """What of the span from the first to the last operation none of them takes. One without a
    length, as a memset may be, takes nothing, yet the span reaches to it."""
    ends = starts + lengths
    return complement(union(starts, ends), int(starts.min()), int(ends.max()))


class Unexplained(Sequence[Gap]):
    """Gaps of which only the places are known yet, each with NOT_ASKED for its one cause."""

    def __init__(self, stretches: Mapping[int, Intervals]) -> None:
        self._device = np.repeat(list(stretches), [len(of) for of in stretches.values()])
        self._places = np.concatenate([*stretches.values(), np.empty((0, 2), dtype=np.int64)])

    def __len__(self) -> int:
        return len(self._places)

    @overload
    def __getitem__(self, number: int) -> Gap: ...
    @overload
    def __getitem__(self, number: slice) -> list[Gap]: ...
    def __getitem__(self, number: int | slice) -> Gap | list[Gap]:
        if isinstance(number, slice):
            return [self[n] for n in range(*number.indices(len(self)))]
        start, end = self._places[number].tolist()
        part = GapPart(NOT_ASKED, end - start, NONE)
        return Gap(int(self._device[number]), start, end, (part,), "middle", NONE)


def wall_ns(trace: Trace) -> tuple[int, int]:
    """(start, end) of a run in ns: from the first host work to the later of the last host
    work and the last device operation; (0, 0) for a trace without either."""
    work = pd.concat([trace.host_spans(), trace.gpu_spans()])
    if work.empty:
        return 0, 0
    host = trace.host_spans()
    first = host if len(host) else work
    return int(first["ts_ns"].min()), int((work["ts_ns"] + work["dur_ns"]).max())


def _engine_gaps(trace: Trace, device: int) -> list[Gap]:
    walk = GapWalk(trace, device)
    ops = trace.gpu_spans(device)
    kernels = ops[(ops["kind"] == "kernel") & (ops["dur_ns"] > 0)]
    following = _first_at(kernels.index.to_numpy(), kernels["ts_ns"].to_numpy())
    start, end = wall_ns(trace)
    gaps = []
    for g0, g1 in complement(span_union(kernels), start, end).tolist():
        op = following.get(g1, NONE)
        parts = walk.before(g0, g1, op) if op != NONE else walk.without_next(g0, g1)
        gaps.append(Gap(device, g0, g1, parts, _where(g0 == start, op == NONE), op))
    return gaps


def _other_gaps(
    rules: LaunchRules, device: int, ids: Int64s, starts: Int64s, lengths: Int64s
) -> list[Gap]:
    """The gaps of one device, from the ids, starts and lengths of its operations in trace order."""
    following = _first_at(ids, starts)
    return [
        Gap(device, g0, g1, rules.parts(g0, g1, following[g1]), "middle", following[g1])
        for g0, g1 in _between(starts, lengths).tolist()
    ]


def _first_at(ids: Int64s, starts: Int64s) -> dict[int, int]:
    """The first span id at each start time: in trace order the longest."""
    first: dict[int, int] = {}
    for span_id, ts in zip(ids.tolist(), starts.tolist(), strict=True):
        first.setdefault(ts, span_id)
    return first


def _where(at_start: bool, at_end: bool) -> str:
    if at_start and at_end:
        return "whole"
    return "start" if at_start else "end" if at_end else "middle"
