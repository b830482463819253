"""The tables beside the pictures: hazards, idle time by cause, spans, gaps, devices.

Plain data frames; names from files stay plain text in them. Times are in ms.
"""

from collections.abc import Mapping, Sequence

import pandas as pd

from engine.hazards import Hazard
from lab.catalogue import t
from lab.hover import cause_text
from lab.palette import slot_letter
from traces import DeviceActivity, Gap, Trace
from traces.schema import NONE

MAX_SPANS = 5000


def hazard_table(hazards: Sequence[Hazard]) -> pd.DataFrame:
    """One row a hazard: what races, since which step, and the line that is missing."""
    rows = [
        (
            hazard.kind, hazard.resource, ", ".join(hazard.labels), hazard.step, hazard.count,
            hazard.first, hazard.second, hazard.missing_edge, hazard.fix.text,
        )
        for hazard in hazards
    ]  # fmt: skip
    names = (
        "kind", "resource", "tensors", "step", "pairs", "first", "second", "missing", "fix",
    )  # fmt: skip
    return pd.DataFrame(rows, columns=[t(f"hazard.{name}") for name in names])


def idle_table(
    gaps: Mapping[str, Mapping[str, float]], wall_ms: Mapping[str, float]
) -> pd.DataFrame:
    """Idle ms and share of the wall time by cause, for each run (by its title)."""
    causes = dict.fromkeys(cause for of_run in gaps.values() for cause in of_run)
    table: dict[str, list[object]] = {t("idle.cause"): [cause_text(cause) for cause in causes]}
    for title, of_run in gaps.items():
        values = [of_run.get(cause, 0.0) for cause in causes]
        table[t("idle.ms", run=title)] = list(values)
        table[t("idle.share", run=title)] = [100 * value / wall_ms[title] for value in values]
    return pd.DataFrame(table)


def span_table(trace: Trace, window: tuple[int, int]) -> pd.DataFrame:
    """The first MAX_SPANS spans that touch the window."""
    spans = trace.spans
    inside = (spans["ts_ns"] < window[1]) & (spans["ts_ns"] + spans["dur_ns"] >= window[0])
    shown = spans[inside].head(MAX_SPANS)
    return pd.DataFrame(
        {
            t("span.start"): shown["ts_ns"] / 1e6,
            t("span.dur"): shown["dur_ns"] / 1e6,
            t("span.lane"): shown["track"],
            t("span.kind"): shown["kind"],
            t("span.name"): shown["name"],
            t("span.step"): shown["step"].where(shown["step"] != NONE),
            t("span.slot"): [slot_letter(s) if s != NONE else None for s in shown["slot"].tolist()],
        }
    )


def gap_table(gaps: Sequence[Gap]) -> pd.DataFrame:
    """Gaps in the order given: where, how long, why."""
    rows = [
        (
            gap.device, gap.start_ns / 1e6, gap.ns / 1e6, cause_text(gap.cause),
            "; ".join(f"{cause_text(p.cause)} {p.ns / 1e6:.3f} ms" for p in gap.parts[1:]),
        )
        for gap in gaps
    ]  # fmt: skip
    names = ("device", "start", "ms", "cause", "also")
    return pd.DataFrame(rows, columns=[t(f"gaps.{name}") for name in names])


def device_table(devices: Sequence[DeviceActivity]) -> pd.DataFrame:
    """Busy and idle of each device."""
    rows = [
        (
            d.device, 100 * d.active, 100 * d.compute_active, d.busy_ns / 1e6, d.idle_ns / 1e6,
            d.copy_ns / 1e6, d.copy_compute_overlap_ns / 1e6, ", ".join(map(str, d.streams)),
        )
        for d in devices
    ]  # fmt: skip
    names = ("id", "active", "compute", "busy", "idle", "copy", "overlap", "streams")
    return pd.DataFrame(rows, columns=[t(f"device.{name}") for name in names])
