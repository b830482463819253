"""Whether the host is the bottleneck: steps overlap already, and the device still waits for it.

A loop that takes turns has its host wait while the device computes; that time can be hidden. Where
the launching thread works nearly all the time in which the device does, nothing is left to hide: a
step takes max(G, C + F), and that is C + F. Where the device is, the launches run ahead of it.
"""

import numpy as np

from traces import intervals
from traces.activity import span_union
from traces.schema import Trace
from traces.step_parts import busiest, issued, waits
from traces.steps import find_steps

OVERLAPPED = 0.9
"""Share of the kernels' time that the host works through, from which nothing more can be hidden.
The engine's asynchronous runs with C + F above G have 0.95 and more; where the device is the
bottleneck, or the loop takes turns, it is below 0.35."""


MOST = 0.5
"""Share of the steps, or of the busy time, that counts as the rule of a run."""

NEAR_NS, NEAR = 20_000, 0.02
"""What ends this soon after the device does (or in this share of its busy time) ended with it."""


def is_host_bound(trace: Trace) -> bool:
    """Whether the host works through the device's work, so that overlap cannot shorten the run.
    Not so where that work is a wait by another name: a sleep, or a poll for the results."""
    return overlapped_share(trace) >= OVERLAPPED and ends_with_device_share(trace) < MOST


def runs_ahead(trace: Trace) -> bool:
    """Whether in most steps everything was launched while the device still had earlier work to
    do, so that the steps overlap already. False where no steps or no launches are known."""
    steps = find_steps(trace)
    if not steps.count or not _knows_launches(trace):
        return False
    _, ops = busiest(trace)
    at = issued(trace, ops)
    order = np.argsort(at, kind="stable")
    launched, ends = at[order], (ops["ts_ns"] + ops["dur_ns"]).to_numpy()[order]
    before = np.searchsorted(launched, launched) - 1  # the last one launched earlier
    found_idle = (before < 0) | (np.maximum.accumulate(ends)[before] <= launched)
    starts = np.array([step.start_ns for step in steps.steps], dtype=np.int64)
    if steps.on_device:
        first = np.searchsorted(ops["ts_ns"].to_numpy(), starts)
        starts = np.maximum.accumulate(at[np.minimum(first, len(at) - 1)])
    step_of = np.searchsorted(starts, launched[found_idle], side="right") - 1
    behind = len(np.unique(step_of[step_of >= 0]))
    return bool(behind < (1 - MOST) * steps.count)


def ends_with_device_share(trace: Trace) -> float:
    """The share, 0 to 1, of the device's busy time through which the launching thread did one thing
    (a call, or the same one again and again) that ended as the device did: it waited for it."""
    track, ops = busiest(trace)
    busy = _closed(span_union(ops))
    host = trace.host_spans()
    ended = np.zeros(len(busy), dtype=bool)
    for _, spans in host[host["track"] == track].groupby("name", sort=False):
        one_thing = _closed(span_union(spans))
        if not len(one_thing):
            continue
        last = np.searchsorted(one_thing[:, 0], busy[:, 1]) - 1  # began before the device ended
        start, end = one_thing[last].T
        length = busy[:, 1] - busy[:, 0]
        is_near = np.abs(end - busy[:, 1]) <= np.maximum(NEAR_NS, NEAR * length)
        is_most = 2 * (busy[:, 1] - np.maximum(start, busy[:, 0])) >= length
        ended |= (last >= 0) & is_near & is_most
    return intervals.total(busy[ended]) / max(1, intervals.total(busy))


def _closed(found: intervals.Intervals) -> intervals.Intervals:
    """The same with holes of up to `NEAR_NS` closed."""
    wide = intervals.union(found[:, 0], found[:, 1] + NEAR_NS)
    wide[:, 1] -= NEAR_NS
    return wide


def _knows_launches(trace: Trace) -> bool:
    return bool((trace.flows["kind"] == "launch").any())


def overlapped_share(trace: Trace) -> float:
    """The share, 0 to 1, of the time with a kernel in which the launching thread worked too: was
    in a span that is no wait. Of the thread that launches most and the device it launches on; 0
    where no launch is known."""
    if not _knows_launches(trace):
        return 0.0
    track, ops = busiest(trace)
    host = trace.host_spans()
    host = host[host["track"] == track]
    kernels = span_union(ops[ops["kind"] == "kernel"])
    work = intervals.subtraction(span_union(host), waits(host, span_union(ops)))
    total = intervals.total(kernels)
    return intervals.total(intervals.intersection(work, kernels)) / total if total else 0.0
