"""Where a run first goes wrong, in the picture: the two racing operations and the missing edge.

A dotted line in the alarm colour joins the two operations of a hazard, where the edge between
them is missing, with a mark on the one that comes too early or too late. Operations of the
host's memory have no span of their own; then only the other one is marked.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from engine.checker.hazards import Hazard
from lab.catalogue import t
from lab.escape import for_plotly
from lab.picture.arrows import Place, lane_keys
from lab.picture.hover import edge_text, resource_text, worded
from lab.picture.palette import ALARM, HAZARD
from traces import Trace

MAX_HAZARDS = 20


def alarm_traces(
    trace: Trace, hazards: Sequence[Hazard], places: Mapping[str, Place]
) -> list[dict[str, Any]]:
    """One scatter trace for all hazards, or none; x in ms, y in lanes."""
    ops = trace.spans[trace.spans["device"] >= 0]
    span_of = dict(zip(ops["correlation"].tolist(), ops.index.tolist(), strict=True))
    lane = lane_keys(trace)
    start = trace.spans["ts_ns"].to_numpy()
    end = start + trace.spans["dur_ns"].to_numpy()
    xs: list[float | None] = []
    ys: list[float | None] = []
    texts: list[str] = []
    for hazard in hazards[:MAX_HAZARDS]:
        first, second = (span_of.get(seq) for seq in hazard.ops)
        for span, times in ((first, end), (second, start)):
            if span is not None and (place := places.get(lane(span))):
                xs.append(int(times[span]) / 1e6)
                ys.append(place.middle)
                texts.append(_text(hazard))
        xs.append(None)
        ys.append(None)
        texts.append("")
    return [_trace(xs, ys, texts)] if any(texts) else []


def _text(hazard: Hazard) -> str:
    return "<br>".join(
        (
            f"<b>{for_plotly(f'{hazard.kind} · {resource_text(hazard.resource)}')}</b>",
            for_plotly(
                t(
                    "hazard.pair",
                    first=worded(hazard.first),
                    second=worded(hazard.second),
                    edge=edge_text(hazard.missing_edge),
                ),
                160,
            ),
            for_plotly(worded(hazard.fix.text), 120),
        )
    )


def _trace(xs: list[float | None], ys: list[float | None], texts: list[str]) -> dict[str, Any]:
    return {
        "type": "scatter",
        "name": HAZARD,
        "mode": "lines+markers",
        "x": xs,
        "y": ys,
        "hoverinfo": "text",
        "hovertext": texts,
        "line": {"color": ALARM, "width": 2, "dash": "dot"},
        "marker": {
            "symbol": "triangle-up",
            "size": 13,
            "color": ALARM,
            "line": {"color": "#FFFFFF", "width": 1},
        },
    }
