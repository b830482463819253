"""Whether the host is the bottleneck: steps overlap already, and the device still waits for it.

A loop that takes turns has its host wait while the device computes; that time can be hidden. Where
the launching thread works nearly all the time in which the device does, nothing is left to hide: a
step takes max(G, C + F), and that is C + F.
"""

from traces import intervals
from traces.activity import span_union
from traces.schema import Trace
from traces.step_parts import busiest, waits

OVERLAPPED = 0.9
"""Share of the kernels' time that the host works through, from which nothing more can be hidden.
The engine's asynchronous runs with C + F above G have 0.95 and more; where the device is the
bottleneck, or the loop takes turns, it is below 0.35."""


def is_host_bound(trace: Trace) -> bool:
    """Whether the host works through the device's work, so that overlap cannot shorten the run."""
    return overlapped_share(trace) >= OVERLAPPED


def overlapped_share(trace: Trace) -> float:
    """The share, 0 to 1, of the time with a kernel in which the launching thread worked too: was
    in a span that is no wait. Of the thread that launches most and the device it launches on; 0
    where no launch is known."""
    if not (trace.flows["kind"] == "launch").any():
        return 0.0
    track, ops = busiest(trace)
    host = trace.host_spans()
    host = host[host["track"] == track]
    kernels = span_union(ops[ops["kind"] == "kernel"])
    work = intervals.subtraction(span_union(host), waits(host, span_union(ops)))
    total = intervals.total(kernels)
    return intervals.total(intervals.intersection(work, kernels)) / total if total else 0.0
