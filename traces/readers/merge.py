"""Several traces of one run, such as those of its ranks, as one trace on one clock.

Wall time is the common clock where every file tells it; else the files' own clock where they
are of one kind, as tables of one profiler do. Either way they have to stand close together.
Otherwise each begins at 0, and that is told.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from traces.args_column import ArgsArray
from traces.readers.correlation import correlation_flows, processes
from traces.readers.same_files import told_twice
from traces.schema import HOST, SPAN_DEFAULTS, Trace

NEAR_NS = 3_600 * 10**9
"""Clocks that start within an hour of each other are taken for one."""

FAR_APART = (
    "The files were recorded more than an hour apart, so they are not of one run; each of them "
    "begins at 0 here."
)
NO_COMMON_CLOCK = "The files tell no common clock; each of them begins at 0 here."


def merged(traces: Sequence[Trace]) -> Trace:
    """All traces in one. Their processes, tracks and devices stay apart, except where the files
    are parts of one recording (`meta["is_part"]`): these share their correlation ids."""
    offsets, clock_warnings = _offsets(traces)
    are_parts = all(trace.meta.get("is_part") for trace in traces)
    names = _labels(traces)
    labels = [""] * len(traces) if are_parts else names
    warnings = clock_warnings + told_twice(traces, names)
    devices = [{}] * len(traces) if are_parts else _devices(traces)
    bases = np.cumsum([0, *(len(trace.spans) for trace in traces)])
    spans = pd.concat(map(_placed, traces, offsets, labels, devices), ignore_index=True)
    counters = [
        trace.counters.assign(
            ts_ns=trace.counters["ts_ns"] + offset, track=_labelled(trace.counters["track"], label)
        )
        for trace, offset, label in zip(traces, offsets, labels, strict=True)
    ]
    flows = [
        trace.flows.assign(src=trace.flows["src"] + base, dst=trace.flows["dst"] + base)
        for trace, base in zip(traces, bases, strict=False)
    ]
    trace = Trace.from_rows(
        {name: _column(spans[name]) for name in SPAN_DEFAULTS},
        _rows(flows),
        _rows(counters),
        _meta(traces, offsets, labels, devices, warnings),
    )
    if are_parts:
        trace.flows = correlation_flows(trace.spans, processes(trace.spans))
    return trace


def _column(column: "pd.Series[Any]") -> Any:  # noqa: ANN401 - args have a class of their own
    return column.array if isinstance(column.array, ArgsArray) else column.to_numpy()


def _rows(frames: list[pd.DataFrame]) -> dict[str, np.ndarray]:
    frame = pd.concat(frames, ignore_index=True)
    return {str(name): frame[name].to_numpy() for name in frame}


def _offsets(traces: Sequence[Trace]) -> tuple[list[int], list[str]]:
    """How far each trace's 0 lies behind the earliest, in ns, and warnings."""
    unix = [trace.meta.get("unix_start_ns") for trace in traces]
    known = [start for start in unix if start is not None]
    if len(known) == len(traces):
        if max(known) - min(known) < NEAR_NS:
            return [start - min(known) for start in known], []
        return [0] * len(traces), [FAR_APART]
    own = [trace.meta.get("clock_start_ns", 0) for trace in traces]
    is_one_format = len({trace.meta["format"] for trace in traces}) == 1
    if not known and is_one_format and max(own) - min(own) < NEAR_NS:
        return [start - min(own) for start in own], []
    return [0] * len(traces), [NO_COMMON_CLOCK]


def _labels(traces: Sequence[Trace]) -> list[str]:
    """ "rank 3" where the file tells its rank, else its name; each once."""
    labels = []
    for number, trace in enumerate(traces, 1):
        info = trace.meta.get("file", {}).get("distributedInfo")
        rank = info.get("rank") if isinstance(info, dict) else None
        name = trace.meta.get("name") or f"file {number}"
        labels.append(f"rank {rank}" if isinstance(rank, int) else str(name))
    seen = Counter(labels)
    return [
        f"{label} ({number})" if seen[label] > 1 else label
        for number, label in enumerate(labels, 1)
    ]


def _devices(traces: Sequence[Trace]) -> list[dict[int, int]]:
    """New numbers of each trace's devices; the old ones where no two traces share one."""
    own = [sorted(int(d) for d in trace.spans["device"].unique() if d != HOST) for trace in traces]
    flat = [device for devices in own for device in devices]
    if len(set(flat)) == len(flat):
        return [{device: device for device in devices} for devices in own]
    numbers = iter(range(len(flat)))
    return [{device: next(numbers) for device in devices} for devices in own]


def _placed(trace: Trace, offset: int, label: str, devices: Mapping[int, int]) -> pd.DataFrame:
    """The spans on the common clock, under the file's label, on their new devices."""
    spans = trace.spans
    if not label:
        return spans.assign(ts_ns=spans["ts_ns"] + offset)
    return spans.assign(
        ts_ns=spans["ts_ns"] + offset,
        track=_labelled(spans["track"], label),
        pid=_labelled(spans["pid"], label),
        device=spans["device"].map({HOST: HOST, **devices}),
    )


def _labelled(words: "pd.Series[Any]", label: str) -> "pd.Series[Any]":
    """The words behind the label; each of a categorical's is asked for once."""
    return words.map(lambda word: f"{label} · {word}") if label else words


def _meta(
    traces: Sequence[Trace],
    offsets: Sequence[int],
    labels: Sequence[str],
    devices: Sequence[Mapping[int, int]],
    warnings: list[str],
) -> dict[str, Any]:
    metas = [trace.meta for trace in traces]
    formats = list(dict.fromkeys(meta["format"] for meta in metas))
    told = [
        f"{label}: {warning}" if label else warning
        for label, meta in zip(labels, metas, strict=True)
        for warning in meta.get("warnings", [])
    ]
    meta = {
        "format": " and ".join(formats),
        "skipped": sum(meta.get("skipped", 0) for meta in metas),
        "cut_off": any(meta.get("cut_off") for meta in metas),
        "warnings": warnings + told,
        "files": [
            {"label": label, "offset_ns": offset, "devices": sorted(numbers.values()), "meta": meta}
            for label, offset, numbers, meta in zip(labels, offsets, devices, metas, strict=True)
        ],
    }
    if all("unix_start_ns" in meta for meta in metas):
        meta["unix_start_ns"] = min(meta["unix_start_ns"] for meta in metas)
    return meta
