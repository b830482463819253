"""The tables beside the pictures: hazards, idle time by cause, spans, gaps, devices.

Plain data frames; names from files stay plain text in them. Times are in ms.
"""

from collections.abc import Mapping, Sequence

import pandas as pd

from engine.checker.hazards import Hazard
from lab.catalogue import t
from lab.glossary import meaning
from lab.picture.hover import cause_text, edge_text, kind_text, resource_text, span_text, worded
from lab.picture.lanes import track_name
from lab.picture.palette import slot_letter
from traces import DeviceActivity, Gap, Trace
from traces.activity import span_union
from traces.intervals import total
from traces.observed import DeviceIdle
from traces.schema import COPY_KINDS, NONE

MAX_SPANS = 5000


def hazard_table(hazards: Sequence[Hazard]) -> pd.DataFrame:
    """One row a hazard: what races, since which step, and the line that is missing."""
    rows = [
        (
            hazard.kind, f"{resource_text(hazard.resource)}: {', '.join(hazard.labels)}",
            hazard.step, hazard.count, worded(hazard.first), worded(hazard.second),
            edge_text(hazard.missing_edge), worded(hazard.fix.text),
        )
        for hazard in hazards
    ]  # fmt: skip
    names = ("kind", "resource", "step", "pairs", "first", "second", "missing", "fix")
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


def shown_spans(trace: Trace, window: tuple[int, int]) -> pd.DataFrame:
    """The first MAX_SPANS spans that touch the window."""
    spans = trace.spans
    inside = (spans["ts_ns"] < window[1]) & (spans["ts_ns"] + spans["dur_ns"] >= window[0])
    return spans[inside].head(MAX_SPANS)


def span_table(trace: Trace, window: tuple[int, int]) -> pd.DataFrame:
    """Those spans as the page shows them."""
    shown, own = shown_spans(trace, window), trace.is_engine_dump
    named = zip(shown["name"].tolist(), shown["kind"].tolist(), strict=True)
    return pd.DataFrame(
        {
            t("span.start"): shown["ts_ns"] / 1e6,
            t("span.dur"): shown["dur_ns"] / 1e6,
            t("span.lane"): [track_name(trace, track) for track in shown["track"]],
            t("span.kind"): shown["kind"].map(kind_text),
            t("span.name"): [span_text(name, kind, own) for name, kind in named],
            t("span.step"): shown["step"].where(shown["step"] != NONE),
            t("span.slot"): [slot_letter(s) if s != NONE else "–" for s in shown["slot"].tolist()],
        }
    )


def gap_table(gaps: Sequence[Gap]) -> pd.DataFrame:
    """Gaps in the order given: where, how long, why."""
    rows = [
        (
            gap.device, gap.start_ns / 1e6, gap.ns / 1e6, cause_text(gap.cause),
            meaning(gap.cause, gap.ns),
            "; ".join(f"{cause_text(p.cause)} {p.ns / 1e6:.3f} ms" for p in gap.parts[1:]),
        )
        for gap in gaps
    ]  # fmt: skip
    names = ("device", "start", "ms", "cause", "means", "also")
    return pd.DataFrame(rows, columns=[t(f"gaps.{name}") for name in names])


def counter_table(trace: Trace, window: tuple[int, int]) -> pd.DataFrame:
    """The first MAX_SPANS values of all counters in the window, in the order of time."""
    points = trace.counters[trace.counters["ts_ns"].between(*window)].head(MAX_SPANS)
    return pd.DataFrame(
        {
            t("span.start"): points["ts_ns"] / 1e6,
            t("shown.counter"): points["name"],
            t("shown.value"): points["value"],
        }
    )


def device_table(devices: Sequence[DeviceActivity], idles: Sequence[DeviceIdle]) -> pd.DataFrame:
    """How idle each device was, and what it did otherwise."""
    rows = [
        (
            d.device, 100 * idle.share, idle.idle_ns / 1e6, idle.of_ns / 1e6, d.compute_ns / 1e6,
            d.exposed_communication_ns / 1e6, d.copy_ns / 1e6, d.copy_compute_overlap_ns / 1e6,
        )
        for d, idle in zip(devices, idles, strict=True)
    ]  # fmt: skip
    names = ("id", "share", "idle", "of", "compute", "comm", "copy", "over")
    return pd.DataFrame(rows, columns=[t(f"device.{name}") for name in names])


def stream_table(trace: Trace, idles: Sequence[DeviceIdle]) -> pd.DataFrame:
    """What each stream of each device was used for."""
    base = {idle.device: idle.of_ns for idle in idles}
    rows = []
    for _, ops in trace.gpu_spans().groupby(["device", "stream"]):
        device, stream = (int(ops[name].iloc[0]) for name in ("device", "stream"))
        busy = total(span_union(ops))
        copies = ops[ops["kind"].isin(COPY_KINDS)]
        rows.append(
            (
                device, stream, int((ops["kind"] == "kernel").sum()), len(copies), busy / 1e6,
                total(span_union(copies)) / 1e6, 100 * busy / max(1, base[device]),
            )
        )  # fmt: skip
    names = ("device", "id", "kernels", "copied", "busy", "copies", "share")
    return pd.DataFrame(rows, columns=[t(f"stream.{name}") for name in names])
