"""The figures of a trace in one JSON-able dict, and as text for a terminal."""

from typing import Any

import pandas as pd

from traces import critical_path
from traces.activity import DeviceActivity, device_activity
from traces.findings import find_findings, findings_json
from traces.gap import gaps_by_cause
from traces.gaps import find_gaps
from traces.observed import observed_ns
from traces.schema import ENGINE_FORMAT, Trace
from traces.steps import Steps, find_steps
from traces.units import percent
from traces.whatif import as_json, what_if

NS_PER_MS = 1e6
GAP_ROWS = 12
FINDING_ROWS = 3
PATH_ROWS = 4

IDLE = ["idle by cause"]
NO_KERNEL = [
    "time without a kernel by cause, from the first host work to the end",
    "         (the idle time above is another: no work at all, from the GPU's first operation",
    "         to its last)",
]


def summarize(trace: Trace) -> dict[str, Any]:
    """Format, counts, span, activity of each device, idle ms by cause, critical path, steps,
    findings, what asynchronous batching would give, and warnings.

    `span_ms` runs from the first to the last event. `active` of a device is the union of
    its kernels, copies and memsets over the time from its first to its last GPU event;
    `compute_active` counts kernels other than communication; `run_active` is the share of a whole
    run of this lab with a kernel, None for any other trace. `gaps` sums over all devices
    what `find_gaps` calls a gap: in an engine dump time without a kernel, more than `idle_ms`.
    """
    gaps, steps = find_gaps(trace), find_steps(trace)
    return {
        "format": trace.meta.get("format", ""),
        "events": len(trace.spans) + len(trace.counters),
        "skipped": trace.meta.get("skipped", 0),
        "span_ms": _extent_ns(trace) / NS_PER_MS,
        "devices": [_device(trace, activity) for activity in device_activity(trace)],
        "gaps": {cause: ns / NS_PER_MS for cause, ns in gaps_by_cause(gaps).items()},
        "critical_path": critical_path.as_json(critical_path.find_critical_path(trace)),
        "steps": _steps(steps),
        "findings": findings_json(trace, find_findings(trace, gaps)),
        "what_if": as_json(what_if(trace, gaps, steps)),
        "warnings": [*trace.meta.get("warnings", []), *_missing_gpu_work(trace)],
    }


def as_text(summary: dict[str, Any]) -> str:
    """The summary as a short text table."""
    lines = [
        f"format   {summary['format']}",
        f"events   {summary['events']:,} ({summary['skipped']:,} skipped)",
        f"span     {summary['span_ms']:,.3f} ms",
    ]
    for device in summary["devices"]:
        lines += [
            f"GPU {device['id']}    active {percent(device['active'])}, kernels alone "
            f"{percent(device['compute_active'])}, from its first to its last event "
            "(active is not the same as efficient)",
            *_of_run(device["run_active"]),
            f"         busy {device['busy_ms']:,.3f} ms, idle {device['idle_ms']:,.3f} ms, "
            f"streams {', '.join(map(str, device['streams']))}",
            f"         copies {device['copy_ms']:,.3f} ms, of which "
            f"{device['copy_compute_overlap_ms']:,.3f} ms under kernels",
        ]
        if device["communication_ms"]:
            lines.append(
                f"         communication {device['communication_ms']:,.3f} ms, of which "
                f"{device['exposed_communication_ms']:,.3f} ms with nothing computed under it"
            )
    if shares := list(summary["critical_path"]["share"].items())[:PATH_ROWS]:
        told = ", ".join(f"{resource} {percent(share)}" for resource, share in shares)
        lines.append(f"path     the longest chain of work and waits: {told}")
    steps = summary["steps"]
    if steps["count"]:
        lines.append(
            f"steps    {steps['count']:,} by {steps['by']}, median {steps['median_ms']:,.3f} ms, "
            f"99 % within {steps['p99_ms']:,.3f} ms"
        )
    if summary["gaps"]:
        lines += NO_KERNEL if summary["format"] == ENGINE_FORMAT else IDLE
    causes = list(summary["gaps"].items())
    lines += [f"  {ms:12,.3f} ms  {cause}" for cause, ms in causes[:GAP_ROWS]]
    if len(causes) > GAP_ROWS:
        rest = sum(ms for _, ms in causes[GAP_ROWS:])
        lines.append(f"  {rest:12,.3f} ms  {len(causes) - GAP_ROWS} other causes")
    for finding in summary["findings"][:FINDING_ROWS]:
        toggle = f" (in the lab: {finding['mechanism']})" if finding["mechanism"] else ""
        lines.append(
            f"finding  {finding['rule']}, {percent(finding['share'])} of the run, "
            f"confidence {finding['confidence']}{toggle}: {finding['advice']}"
        )
    lines += [f"note     {warning}" for warning in summary["warnings"]]
    return "\n".join(lines)


def _of_run(active: float | None) -> list[str]:
    """The share that `python -m engine run` tells, which is of another time."""
    if active is None:
        return []
    told = f"a kernel in {percent(active)} of the run, from the first host work to its end"
    return [f"         {told} (what `engine run` tells)"]


def _device(trace: Trace, activity: DeviceActivity) -> dict[str, Any]:
    ours = trace.is_engine_dump
    return {
        "id": activity.device,
        "busy_ms": activity.busy_ns / NS_PER_MS,
        "idle_ms": activity.idle_ns / NS_PER_MS,
        "active": activity.active,
        "compute_active": activity.compute_active,
        "run_active": activity.compute_ns / observed_ns(trace, activity) if ours else None,
        "compute_ms": activity.compute_ns / NS_PER_MS,
        "communication_ms": activity.communication_ns / NS_PER_MS,
        "exposed_communication_ms": activity.exposed_communication_ns / NS_PER_MS,
        "copy_ms": activity.copy_ns / NS_PER_MS,
        "copy_only_ms": activity.copy_only_ns / NS_PER_MS,
        "copy_compute_overlap_ms": activity.copy_compute_overlap_ns / NS_PER_MS,
        "streams": list(activity.streams),
    }


def _steps(steps: Steps) -> dict[str, Any]:
    """`by` says what they were found by; without steps the times are None."""
    return {
        "count": steps.count,
        "median_ms": steps.median_ns / NS_PER_MS if steps.count else None,
        "p99_ms": steps.p99_ns / NS_PER_MS if steps.count else None,
        "by": steps.by,
    }


def _extent_ns(trace: Trace) -> int:
    """From the first to the last instant that anything was recorded at."""
    starts = pd.concat([trace.spans["ts_ns"], trace.counters["ts_ns"]])
    ends = pd.concat([trace.spans["ts_ns"] + trace.spans["dur_ns"], trace.counters["ts_ns"]])
    return int(ends.max() - starts.min()) if len(starts) else 0


def _missing_gpu_work(trace: Trace) -> list[str]:
    if trace.devices:
        return []
    launches = int((trace.spans["kind"] == "launch").sum())
    if trace.meta.get("cut_off"):
        return ["No GPU work is recorded before the cut; what came after it is lost."]
    if not launches:
        return ["No GPU work is recorded in this file, so there is no idle time to explain."]
    return [
        f"The host launched {launches:,} operations but none is recorded: the GPU part of the "
        "trace is lost; record again with the CUDA activity switched on."
    ]
