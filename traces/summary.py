"""The figures of a trace in one JSON-able dict, and as text for a terminal."""

from typing import Any

import pandas as pd

from traces import critical_path
from traces.activity import DeviceActivity, device_activity
from traces.findings import SMALL, find_findings, findings_json
from traces.gap import gaps_by_cause
from traces.gaps import find_gaps
from traces.observed import DeviceIdle, idle_of
from traces.schema import ENGINE_FORMAT, Trace
from traces.steps import PATTERN, Steps, find_steps
from traces.together import each, together, whole
from traces.units import percent
from traces.whatif import A_GUESS, as_json, what_if

NS_PER_MS = 1e6
GAP_ROWS = 12
FINDING_ROWS = 3
PATH_ROWS = 4

ENGINE_BASE = "of the run, from the first host work to its end (active: a kernel runs"
DEVICE_BASE = (
    "from its first to its last operation (active: a kernel, copy or memset runs; kernels alone "
    "{kernels}"
)
"""What the share of time in which a GPU is active refers to: `traces.observed`."""


def summarize(trace: Trace) -> dict[str, Any]:
    """Format, counts, span, activity of each device, idle ms by cause, critical path, steps,
    findings, what asynchronous batching would give, and warnings.

    `span_ms` runs from the first to the last event. `active`, `busy_ms` and `idle_ms` of a device
    count kernels, copies and memsets, `compute_active` kernels other than communication, all from
    its first to its last operation. `observed` holds the same on the base that every told share
    refers to (`traces.observed`; another one for a run of this lab alone): the text, the pages and
    the findings use it. `gaps` and the findings are of all devices together, and `gaps` adds up to
    their idle time; what each device has of a finding stands in the finding's `devices`.
    """
    gaps, steps, activity = find_gaps(trace), find_steps(trace), device_activity(trace)
    return {
        "format": trace.meta.get("format", ""),
        "events": len(trace.spans) + len(trace.counters),
        "skipped": trace.meta.get("skipped", 0),
        "span_ms": _extent_ns(trace) / NS_PER_MS,
        "devices": [
            _device(one, idle)
            for one, idle in zip(activity, idle_of(trace, activity, gaps), strict=True)
        ],
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
        told = device["observed"]
        lines += [
            f"GPU {device['id']}    active {percent(told['active'])} {_base(summary, device)}; "
            "not the same as efficient)",
            f"         busy {told['busy_ms']:,.3f} ms, "
            f"idle {told['idle_ms']:,.3f} ms, streams {', '.join(map(str, device['streams']))}",
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
        lines += [f"         {A_GUESS}"] if steps["by"] == PATTERN else []
    count = len(summary["devices"])
    if summary["gaps"]:
        lines.append("idle time by cause" + (f", {together(count)}" if count > 1 else ""))
    causes = list(summary["gaps"].items())
    lines += [f"  {ms:12,.3f} ms  {cause}" for cause, ms in causes[:GAP_ROWS]]
    if len(causes) > GAP_ROWS:
        rest = sum(ms for _, ms in causes[GAP_ROWS:])
        lines.append(f"  {rest:12,.3f} ms  {len(causes) - GAP_ROWS} other causes")
    lines += _findings(summary["findings"], count)
    lines += [f"note     {warning}" for warning in summary["warnings"]]
    return "\n".join(lines)


def _base(summary: dict[str, Any], device: dict[str, Any]) -> str:
    """The base of the device's shares in words, with an open bracket."""
    if summary["format"] == ENGINE_FORMAT:
        return ENGINE_BASE
    return DEVICE_BASE.format(kernels=percent(device["compute_active"]))


def _findings(findings: list[dict[str, Any]], count: int) -> list[str]:
    """The costliest findings at length, the others by name; `count` devices are in the trace."""
    told = [one for one in findings[:FINDING_ROWS] if one["share"] >= SMALL]
    lines = []
    for finding in told:
        toggle = f" (in the lab: {finding['mechanism']})" if finding["mechanism"] else ""
        lines.append(
            f"finding  {_costs(finding, whole(count), count)}, "
            f"confidence {finding['confidence']}{toggle}: {finding['advice']}"
        )
    others = [one for one in findings[len(told) :] if one["share"] >= SMALL]
    if others:
        lines.append(f"also     {'; '.join(_costs(one, '', count) for one in others)}")
    if small := [one["rule"] for one in findings if one["share"] < SMALL]:
        lines.append(f"small    under {percent(SMALL)} of {whole(count)} each: {'; '.join(small)}")
    return lines


def _costs(finding: dict[str, Any], base: str, count: int) -> str:
    """Its name and shares, with the base where one is given."""
    of_base = f" of {base}" if base else ""
    shares = f"{percent(finding['share'])}{of_base}{each(finding['devices'], count)}"
    return f"{finding['rule']}, {shares}"


def _device(activity: DeviceActivity, idle: DeviceIdle) -> dict[str, Any]:
    return {
        "id": activity.device,
        "active": activity.active,
        "compute_active": activity.compute_active,
        "busy_ms": activity.busy_ns / NS_PER_MS,
        "idle_ms": activity.idle_ns / NS_PER_MS,
        "observed": {
            "active": idle.active,
            "busy_ms": (idle.of_ns - idle.idle_ns) / NS_PER_MS,
            "idle_ms": idle.idle_ns / NS_PER_MS,
            "of_ms": idle.of_ns / NS_PER_MS,
        },
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
        "trace is lost; record again with the GPU's activity switched on."
    ]
