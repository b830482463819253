"""What the canvas of the Inspect page draws, as plain data: few bars, whatever the trace's length.

Times are whole ns since the trace's beginning, which a browser's numbers hold exactly; heights are
px from the top. A bar knows its share of busy time and is drawn that high, and what is told of it,
as a hint and as a row of the table. No colour is chosen here, and no page known.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, NamedTuple

from lab.escape import one_line
from lab.inspect.canvas_strips import counter_strips, overview_strips
from lab.inspect.inspection import Inspection
from lab.picture.arrows import Segment, segments
from lab.picture.gantt import LANE_PX, Panel, Row, label_width, labels, place
from lab.picture.hover import Hover
from lab.picture.lod import PLOT_PX, Rects, reduce_layers
from lab.picture.marks import mark_of
from lab.picture.palette import (
    EDGE,
    GAP,
    MARKED,
    PATH,
    PATH_EDGE,
    PATH_HUE,
    PATH_WAIT,
    SLOT_HUES,
    STYLE_NAMES,
    STYLES,
    Style,
)
from lab.picture.parted import parted_strips
from lab.picture.path_lanes import WAIT, PathLanes

NAMED_PX = 26
"""A narrower bar has no room for a name, and none is sent."""

PATH_PX = 5
"""Height of the critical path on a lane; it runs along its lower edge."""

COLORS = {
    "busy": SLOT_HUES[0], "gap": GAP, "edge": EDGE, "path": PATH_HUE, "pathEdge": PATH_EDGE,
}  # fmt: skip

NOTHING = -1
"""The span of a bar that stands for several, or for a gap."""


class Shown(NamedTuple):
    """What the reader wants to see: lanes by key, a window in ns, the selected span, the critical
    path where it is switched on, and the width of the drawing."""

    lanes: Sequence[str]
    window: tuple[int, int]
    selected: int | None = None
    path: PathLanes | None = None
    plot_px: int = PLOT_PX


@dataclass
class Columns:
    """The bars: strip, start and length (ns), busy share, style number, how many spans, which span,
    what may stand in it (the fullest text first), what is told of it."""

    strip: list[int] = field(default_factory=list)
    x: list[int] = field(default_factory=list)
    w: list[int] = field(default_factory=list)
    share: list[float] = field(default_factory=list)
    style: list[int] = field(default_factory=list)
    count: list[int] = field(default_factory=list)
    span: list[int] = field(default_factory=list)
    text: list[list[str]] = field(default_factory=list)
    told: list[list[str]] = field(default_factory=list)

    def add(self, strip: int, rects: Rects, origin: int) -> None:
        """The rectangles of one strip, without their texts and spans."""
        self.strip += [strip] * len(rects)
        self.x += (rects.start - origin).tolist()
        self.w += (rects.end - rects.start).tolist()
        self.share += rects.share.round(4).tolist()
        self.style += rects.style.tolist()
        self.count += rects.count.tolist()


@dataclass(frozen=True, eq=False)
class Picture:
    """The data for the browser, the names of what is drawn (for the legend), and the number of
    bars, `single` of them one span each."""

    data: dict[str, Any]
    names: list[str]
    drawn: int
    single: int


def make_picture(inspection: Inspection, shown: Shown) -> Picture:
    """Everything in the window, with the strip of the whole run above it."""
    panel = inspection.panel(shown.lanes)
    rows, _, total = place([panel])
    origin, end = inspection.extent
    bars = _bars(panel, rows, shown, origin)
    arrows, mark, names = _marks(panel, rows, shown, origin)
    path = _path(rows, shown, origin)
    data = {
        "window": [at - origin for at in shown.window],
        "extent": end - origin,
        "origin_ms": origin / 1e6,
        "left": label_width(rows),
        "height": round(total * LANE_PX),
        "lanes": [
            {"label": label, "top": _px(row.top), "bottom": _px(row.bottom)}
            for row, label in zip(rows, labels(rows), strict=True)
        ],
        "strips": _strips(rows),
        "colors": COLORS,
        "styles": [asdict(style) | _look(style) for style in STYLES.values()],
        "bars": vars(bars),
        "arrows": arrows,
        "mark": mark,
        "path": path,
        "path_px": PATH_PX,
        "selected": NOTHING if shown.selected is None else shown.selected,
        "overview": overview_strips(inspection),
        "counters": counter_strips(panel, shown.window, origin),
    }
    names += [STYLE_NAMES[style] for style in sorted(set(bars.style))]
    names += [PATH] if path else []
    names += [PATH_WAIT] if path and WAIT in path["style"] else []
    return Picture(data, names, len(bars.x), bars.count.count(1))


def _look(style: Style) -> dict[str, Any]:
    return {"outline": style.outline, "opacity": style.opacity, "size": style.size}


def _px(lanes: float) -> float:
    return round(lanes * LANE_PX, 1)


def _strips(rows: Sequence[Row]) -> list[dict[str, Any]]:
    """Where the strips of all lanes lie; gaps that are drawn together hang from the top."""
    found = []
    for number, row in enumerate(rows):
        for strip in row.lane.strips:
            top, bottom = row.strip(strip.bottom, strip.top)
            place = {"lane": number, "top": _px(top), "bottom": _px(bottom)}
            found.append(place | {"gaps": strip.is_gap})
    return found


def _bars(panel: Panel, rows: Sequence[Row], shown: Shown, origin: int) -> Columns:
    strips = [strip for row in rows for strip in row.lane.strips]
    reduced = reduce_layers([strip.layer for strip in strips], shown.window, shown.plot_px)
    hover = Hover(panel.trace, panel.gaps)
    named_ns = NAMED_PX * (shown.window[1] - shown.window[0]) / shown.plot_px
    columns = Columns()
    parts = parted_strips([row.lane for row in rows], reduced)
    for number, (strip, (rects, free)) in enumerate(zip(strips, parts, strict=True)):
        before = len(columns.x)
        columns.add(number, rects, origin)
        for at, span in enumerate(rects.span.tolist(), before):
            single = columns.count[at] == 1
            busy, share = int(rects.busy[at - before]), columns.share[at]
            told = hover.bar(columns.count[at], busy, share, span, strip.is_gap)
            named = single and free[at - before] and columns.w[at] >= named_ns
            names = hover.names(span, strip.is_gap) if named else ()
            columns.span.append(span if single and not strip.is_gap else NOTHING)
            columns.text.append([one_line(name) for name in names])
            columns.told.append(told)
    return columns


def _marks(
    panel: Panel, rows: Sequence[Row], shown: Shown, origin: int
) -> tuple[list[dict[str, Any]], list[float] | None, list[str]]:
    """Arrows, the frame of the selected span, and the names of both."""
    places = {row.lane.key: row for row in rows}
    found: Mapping[str, list[Segment]] = (
        segments(panel.trace, places, shown.window) if panel.arrows else {}
    )
    arrows = [_arrows(name, of, origin) for name, of in found.items()]
    mark = None
    if shown.selected is not None:
        mark = mark_of(panel.trace, shown.selected, places, shown.window)
    if mark is None:
        return arrows, None, [*found]
    if mark.flows:
        arrows.append(_arrows(MARKED, mark.flows, origin))
    return arrows, _moved(mark.frame, origin), [*found, MARKED]


def _arrows(name: str, found: Sequence[Segment], origin: int) -> dict[str, Any]:
    return {"kind": name, "ends": [_moved(segment, origin) for segment in found]}


def _moved(segment: Segment, origin: int) -> list[float]:
    x0, y0, x1, y1 = segment
    return [x0 - origin, _px(y0), x1 - origin, _px(y1)]


def _path(rows: Sequence[Row], shown: Shown, origin: int) -> dict[str, list[Any]] | None:
    """The critical path as thin bars along the lanes, and the changes from lane to lane."""
    if shown.path is None:
        return None
    keys = {row.lane.key: row for row in rows}
    layers = [shown.path.layer(key) for key in keys]
    columns = Columns()
    for number, rects in enumerate(reduce_layers(layers, shown.window, shown.plot_px)):
        columns.add(number, rects, origin)
    kept = ("strip", "x", "w", "share", "style")
    drawn: dict[str, list[Any]] = {name: getattr(columns, name) for name in kept}
    links = [
        [at - origin, _px(keys[one].bottom), _px(keys[other].bottom)]
        for at, one, other in shown.path.links(shown.window, [*keys])
    ]
    return drawn | {"links": links}
