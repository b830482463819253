"""What whoever serves requests looks at: waiting times, throughput, queue, memory, copies.

Pure functions over a finished run. A request that arrives at step s arrives at the instant at
which the host begins to schedule step s; a token is there when its batch's results have been
committed (the end of "update state"). Percentiles are by nearest rank: a value that occurred.
"""

import math
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, islice, pairwise, takewhile
from operator import attrgetter
from statistics import median
from typing import TYPE_CHECKING

from engine.config import RunConfig
from engine.device.api import HostSpan
from engine.device.simulator import NEVER
from engine.oplog import Op, OpKind
from engine.requests.request import Request

if TYPE_CHECKING:
    from engine.execution import Run

Counter = tuple[int, str, int]
"""(time in ns, name, value)"""

QUEUE = "requests waiting"
"""Name of the counter of the queue's length."""

COPIED = {OpKind.H2D: "bytes copied to the GPU", OpKind.D2H: "bytes copied to the host"}
"""Names of the counters of copied bytes, by direction."""


@dataclass(frozen=True)
class Service:
    """The figures of one run; None where nothing happened that could be measured.

    ttft: from a request's arrival to its first token. inter_token: between two tokens of a
    request. end_to_end: from arrival to the last token of a request that ended. padding_rows
    were computed for ended requests, idle_rows were left empty.
    """

    requests_done: int
    throughput_tokens_per_s: float
    ttft_median_ms: float | None
    ttft_p99_ms: float | None
    inter_token_median_ms: float | None
    inter_token_p99_ms: float | None
    end_to_end_median_ms: float | None
    end_to_end_p99_ms: float | None
    queue_peak_requests: int
    inflight_peak_tokens: int
    kv_peak_blocks: int
    h2d_bytes: int
    d2h_bytes: int
    padding_rows: int
    idle_rows: int


def measure(run: "Run") -> Service:
    """All figures of a run."""
    parts = run.parts
    committed = sum(request.committed for request in run.requests)
    copies = finished_copies(run)
    return Service(
        requests_done=sum(map(_is_done, run.requests)),
        throughput_tokens_per_s=committed * 1e9 / run.wall_ns if run.wall_ns else 0.0,
        **waiting_times(run.requests, step_times(run.device.spans)),
        queue_peak_requests=max((length for _, _, length in queue_of(run)), default=0),
        inflight_peak_tokens=parts.ledger.peak_in_flight,
        kv_peak_blocks=parts.pool.peak_in_use,
        h2d_bytes=sum(op.nbytes for op in copies[OpKind.H2D]),
        d2h_bytes=sum(op.nbytes for op in copies[OpKind.D2H]),
        padding_rows=parts.scheduler.padding_rows,
        idle_rows=run.config.workload.batch * run.steps - parts.ledger.launched_rows,
    )


def queue_of(run: "Run") -> list[Counter]:
    """The queue's length over a run."""
    times = step_times(run.device.spans)
    known = run.parts.scheduler.all_requests
    joined = [request.admitted_step for request in known if request.admitted_step >= 0]
    arrived = arrivals_until(max(times.begun, default=-1), run.config, len(known))
    return queue_counter(arrived, sorted(joined), times)


def copied_of(run: "Run") -> list[Counter]:
    """Bytes copied in each direction since the run began, at the end of each batch's last copy."""
    counters: list[Counter] = []
    for kind, copied in finished_copies(run).items():
        name, copies = COPIED[kind], sorted(copied, key=attrgetter("end_ns"))
        if copies:
            counters.append((min(op.start_ns for op in copies), name, 0))
        totals = accumulate(op.nbytes for op in copies)
        latest = {op.step: (op.end_ns, name, b) for op, b in zip(copies, totals, strict=True)}
        counters += latest.values()
    return counters


def finished_copies(run: "Run") -> dict[OpKind, list[Op]]:
    """The copies that are over, by direction; a frozen run has others that end with it."""
    end_ns = run.wall_ns if run.stopped else NEVER
    copies: dict[OpKind, list[Op]] = {kind: [] for kind in COPIED}
    for op in run.device.log:
        if op.kind in copies and op.end_ns < end_ns:
            copies[op.kind].append(op)
    return copies


@dataclass(slots=True)
class StepTimes:
    """Instants of each step (ns): its scheduling begins and ends, its tokens are committed."""

    begun: dict[int, int] = field(default_factory=dict)
    chosen: dict[int, int] = field(default_factory=dict)
    committed: dict[int, int] = field(default_factory=dict)


def step_times(spans: Iterable[HostSpan]) -> StepTimes:
    """The instants of every step, from the host's spans."""
    times = StepTimes()
    for span in spans:
        if span.name == "schedule":
            times.begun[span.step] = span.start_ns
            times.chosen[span.step] = span.end_ns
        elif span.name == "update state":
            times.committed[span.step] = span.end_ns
    return times


def arrival_ns(request: Request, times: StepTimes) -> int:
    """When a request arrived. An idle engine lets the next one in before its step."""
    return times.begun[min(request.arrival_step, request.admitted_step)]


def token_ns(request: Request, times: StepTimes) -> list[int]:
    """When each of a request's tokens was committed."""
    return [times.committed[step] for step in request.committed_at]


def arrivals_until(last: int, config: RunConfig, known: int) -> list[int]:
    """Arrival steps up to step `last`. Of an endless queue that is there from the start, only
    the `known` requests count: those that joined, and the next one."""
    work, limit = config.workload, config.requests
    if limit is None and not work.requests:
        if config.steps is None:
            limit = work.count
        elif not work.spread:
            limit = known
    steps = islice(work.arrival_steps(config.seed), limit)
    return list(takewhile(last.__ge__, steps))


def queue_counter(arrived: Sequence[int], joined: Sequence[int], times: StepTimes) -> list[Counter]:
    """The queue's length whenever it changes, as counter values (ns, name, requests).

    `arrived` and `joined` are the steps at which requests arrived and were admitted, both in
    ascending order. The queue grows where a step begins and shrinks where its rows are chosen.
    """
    counter: list[Counter] = []
    inside = 0
    for step, begun_ns in times.begun.items():
        before, inside = inside, bisect_right(joined, step)
        there = max(bisect_right(arrived, step), inside)
        for ns, waiting in ((begun_ns, there - before), (times.chosen[step], there - inside)):
            if not counter or counter[-1][2] != waiting:
                counter.append((ns, QUEUE, waiting))
    return counter


def waiting_times(requests: Sequence[Request], times: StepTimes) -> dict[str, float | None]:
    """TTFT, inter-token and end-to-end latency of those that were let in, by the names of
    `Service` (ms)."""
    first: list[int] = []
    between: list[int] = []
    whole: list[int] = []
    for request in requests:
        if request.admitted_step < 0:
            continue
        start, tokens = arrival_ns(request, times), token_ns(request, times)
        between += [after - before for before, after in pairwise(tokens)]
        if tokens:
            first.append(tokens[0] - start)
            if request.finished:
                whole.append(tokens[-1] - start)
    figures: dict[str, float | None] = {}
    for name, values in (("ttft", first), ("inter_token", between), ("end_to_end", whole)):
        figures[f"{name}_median_ms"] = median(values) / 1e6 if values else None
        figures[f"{name}_p99_ms"] = percentile(values, 0.99) / 1e6 if values else None
    return figures


def _is_done(request: Request) -> bool:
    """True when a request came to its own end: it did not fail, and nobody called it off."""
    return request.finished and not (request.failed or request.cancelled)


def percentile(values: Sequence[float], share: float) -> float:
    """The smallest value that at least `share` of the values do not exceed (nearest rank)."""
    return sorted(values)[max(0, math.ceil(share * len(values)) - 1)]
