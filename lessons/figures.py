"""The numbers of a run that lessons quote, by name; each says its unit in its name.

A name may carry an argument behind a colon: `gap_percent:update state` is the share of the
run that the GPU was idle for this cause.
"""

from collections.abc import Callable

from engine import Run, baseline
from engine.results.service import step_times
from traces import device_activity, find_critical_path


def _host_ns(run: Run) -> int:
    """Host work without waits and without what device calls cost (ns)."""
    return sum(
        span.end_ns - span.start_ns
        for span in run.device.spans
        if not span.waits_for and span.name not in ("wait", "launch")
    )


def _per_step(run: Run, ns: float) -> float:
    return ns / 1e6 / max(1, run.steps)


def _wrong(run: Run, _: str) -> float:
    return run.token_diff.count if run.token_diff is not None else 0


def _tokens(run: Run, _: str) -> float:
    return sum(request.committed for request in run.requests)


def _gap_percent(run: Run, cause: str) -> float:
    return 100 * run.figures.gaps.get(cause, 0.0) / run.figures.wall_ms


def _hazard_kinds(run: Run, resource: str) -> float:
    """Kinds of hazards, all of them or those on one resource."""
    return sum(resource in ("", hazard.resource) for hazard in run.hazards)


def _saved_percent(run: Run, _: str) -> float:
    """How much shorter the run is than the synchronous run of the same work."""
    return 100 * (1 - run.wall_ns / baseline(run.config).wall_ns)


def _kernels_percent(run: Run, _: str) -> float:
    """Kernels alone, from the device's first operation to its last: as tools show it."""
    return 100 * device_activity(run.trace)[0].compute_active


def _hidden_copies_percent(run: Run, _: str) -> float:
    """How much of the copies' time ran under kernels."""
    device = device_activity(run.trace)[0]
    return 100 * device.copy_compute_overlap_ns / max(1, device.copy_ns)


def _path_percent(run: Run, resource: str) -> float:
    return 100 * find_critical_path(run.trace).share.get(resource, 0.0)


def _speculation(run: Run, wanted: str) -> float:
    """What the books of speculation say; 0 where nothing is drafted."""
    books = run.parts.speculation
    return getattr(books, wanted) if books is not None else 0


def _report_delay_ms(run: Run, _: str) -> float:
    """From the end of the operation that failed to the end of the wait that said so."""
    fault = run.parts.recovery.fault
    if fault is None or fault.failed is None or fault.noticed is None:
        return 0.0
    return (fault.noticed.end_ns - fault.failed.end_ns) / 1e6


def _cancel_delay_ms(run: Run, _: str) -> float:
    """From the step at which the host hears of a client's cancel to the moment at which the last
    batch with its row is settled and its blocks may go; the mean over all cancels that had rows."""
    times = step_times(run.device.spans)
    delays = [
        max(0, times.committed[request.last_step] - times.begun[request.cancel_step])
        for request in run.requests
        if request.cancelled
        and request.last_step in times.committed
        and request.cancel_step in times.begun
    ]
    return sum(delays) / 1e6 / max(1, len(delays))


FIGURES: dict[str, Callable[[Run, str], float]] = {
    "gpu_active_percent": lambda run, _: 100 * run.figures.gpu_active,
    "gpu_idle_percent": lambda run, _: 100 * (1 - run.figures.gpu_active),
    "wall_ms": lambda run, _: run.figures.wall_ms,
    "step_ms": lambda run, _: run.figures.step_ms,
    "saved_percent": _saved_percent,
    "first_token_ms": lambda run, _: run.service.ttft_median_ms or 0.0,
    "between_tokens_ms": lambda run, _: run.service.inter_token_median_ms or 0.0,
    "steps": lambda run, _: run.steps,
    "measured_gpu_ms": lambda run, _: run.figures.measured_gpu_ms,
    "gpu_step_ms": lambda run, _: run.figures.wall_ms * run.figures.gpu_active / run.steps,
    "host_step_ms": lambda run, _: _per_step(run, _host_ns(run)),
    "prepare_step_ms": lambda run, _: _named_ms(run, "schedule", "allocate", "update inputs"),
    "settle_step_ms": lambda run, _: _named_ms(run, "read", "update state", "stream", "repeat"),
    "gap_percent": _gap_percent,
    "kernels_percent": _kernels_percent,
    "hidden_copies_percent": _hidden_copies_percent,
    "path_percent": _path_percent,
    "wrong_tokens": _wrong,
    "tokens": _tokens,
    "hazard_kinds": _hazard_kinds,
    "broken_invariants": lambda run, _: len(run.invariants),
    "bytes_to_host": lambda run, _: run.service.d2h_bytes,
    "proposed_drafts": lambda run, _: _speculation(run, "proposed"),
    "accepted_drafts": lambda run, _: _speculation(run, "accepted"),
    "kept_blocks": lambda run, _: _speculation(run, "peak_kept"),
    "failed_requests": lambda run, _: sum(request.failed for request in run.requests),
    "report_delay_ms": _report_delay_ms,
    "padding_rows": lambda run, _: run.service.padding_rows,
    "idle_rows": lambda run, _: run.service.idle_rows,
    "wasted_rows": lambda run, _: run.figures.wasted_rows,
    "tokens_per_s": lambda run, _: run.service.throughput_tokens_per_s,
    "inflight_tokens": lambda run, _: run.figures.peak["inflight_tokens"],
    "cancel_delay_ms": _cancel_delay_ms,
    "kv_plan_blocks": lambda run, _: run.parts.ledger.peak_plan,
    "kv_pool_blocks": lambda run, _: run.parts.pool.size,
    "preemptions": lambda run, _: run.parts.scheduler.preemption.count,
    "captured_graphs": lambda run, _: len(run.parts.graphs.captured) if run.parts.graphs else 0,
    "pool_bytes": lambda run, _: run.parts.graphs.pool_bytes if run.parts.graphs else 0,
    "device_bytes": lambda run, _: run.figures.peak["device_bytes"],
    "host_bytes": lambda run, _: run.figures.peak["host_bytes"],
}
"""What reads each figure from a run."""


def _named_ms(run: Run, *names: str) -> float:
    """Host work of these names a step (ms)."""
    spans = (span for span in run.device.spans if span.name in names)
    return _per_step(run, sum(span.end_ns - span.start_ns for span in spans))


def figure_of(run: Run, name: str) -> float:
    """A figure by its name. Raises KeyError for one that does not exist."""
    known, _, argument = name.partition(":")
    return FIGURES[known](run, argument)


def written(value: float, like: str) -> str:
    """A number with as many decimals as `like` has, and from 1,000 on with commas, as texts have
    their own numbers."""
    _, _, decimals = like.partition(".")
    return f"{value:,.{len(decimals)}f}"
