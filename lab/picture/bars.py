"""Rectangles as Plotly bars: one bar trace a style, whatever the number of lanes.

A name stands inside where it fits at an assumed width, cut where it must be; Plotly hides it
(`uniformtext`) where the browser is narrower. The cause of a gap is what a picture is looked at
for: it stands in two lines where only these fit in a narrow window.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any
from unicodedata import east_asian_width

import numpy as np
from numpy.typing import NDArray

from lab.escape import for_plotly
from lab.picture.hover import Hover, for_hover
from lab.picture.lod import PLOT_PX, Rects
from lab.picture.palette import OUTLINE, SLOT_PATTERNS, STYLE_NAMES, STYLES, WHITE, Style

LETTER_PX = 5.2
"""A letter at the smallest size that Plotly may shrink the names to."""

LABELLED_PX = 850
"""Width of the drawing that names must fit at: a window of 1,280 px beside the open sidebar.
`PLOT_PX`, which decides what is drawn at all, is that of a wide screen."""

NARROW_PX = 530
"""The same in a window of 800 px, without a sidebar."""

TWO_LINES = 0.7
"""Height, in lanes, from which a rectangle holds two lines of the smallest size."""

SHORTEST_CUT = 8
"""Letters that must fit for a cut name to say anything."""

OUTLINED_PX = 10
"""Rectangles from this width on get a thin outline, so that neighbours stand apart."""


@dataclass
class BarColumns:
    """One style's bars."""

    base: list[float] = field(default_factory=list)
    x: list[float] = field(default_factory=list)
    y: list[float] = field(default_factory=list)
    width: list[float] = field(default_factory=list)
    text: list[str] = field(default_factory=list)
    hovertext: list[str] = field(default_factory=list)
    outline: list[float] = field(default_factory=list)


class Bars:
    """Collects rectangles of several lanes and turns them into bar traces."""

    def __init__(self, window: tuple[int, int]) -> None:
        self._px_per_ns = PLOT_PX / max(1, window[1] - window[0])
        self._styles: dict[str, BarColumns] = defaultdict(BarColumns)
        self.drawn = 0
        self.single = 0

    def add(
        self,
        rects: Rects,
        strip: tuple[float, float],
        hover: Hover,
        named: NDArray[np.bool_],
        is_gap: bool = False,
    ) -> None:
        """Add the rectangles of one strip, which reaches from `strip[0]` down to `strip[1]`; those
        that are `named` may have a name in them.

        A merged rectangle stands on the bottom, as high as its spans were busy; merged gaps
        hang from the top.
        """
        top, bottom = strip
        shares = rects.share
        heights = shares * (bottom - top)
        rows = zip(
            rects.start.tolist(), rects.end.tolist(), rects.busy.tolist(), rects.count.tolist(),
            rects.span.tolist(), rects.style.tolist(), shares.tolist(), heights.tolist(),
            named.tolist(), strict=True,
        )  # fmt: skip
        for start, end, busy, count, span, style, share, high, name in rows:
            bars = self._styles[STYLE_NAMES[style]]
            bars.base.append(start / 1e6)
            bars.x.append((end - start) / 1e6)
            bars.y.append(top + high / 2 if is_gap else bottom - high / 2)
            bars.width.append(high)
            single = count == 1
            wide = single and (end - start) * self._px_per_ns >= OUTLINED_PX
            bars.outline.append(1.0 if wide else 0.0)
            names = hover.names(span, is_gap) if single and name else ()
            tall = is_gap and high >= TWO_LINES
            bars.text.append(self._inside(names, end - start, tall))
            told = hover.bar(count, busy, share, span, is_gap)
            bars.hovertext.append(for_hover(told))
            self.drawn += 1
            self.single += single

    def _inside(self, names: tuple[str, ...], ns: int, tall: bool) -> str:
        """The fullest of the names that fits into `ns`, or the last one cut, or nothing; in two
        lines where it is `tall` enough and a narrow window has no room for one."""
        wide, narrow = (self._letters(ns, px) for px in (LABELLED_PX, NARROW_PX))
        one = next((name for name in names if letters(name) <= wide), "")
        if tall and not 0 < letters(one) <= narrow:
            lines = first_in_two(names, narrow) or (None if one else first_in_two(names, wide))
            if lines:
                return "<br>".join(map(for_plotly, lines))
        if one:
            return for_plotly(one)
        if not names or wide < SHORTEST_CUT:
            return ""
        return for_plotly(names[-1], wide * len(names[-1]) // letters(names[-1]))

    def _letters(self, ns: int, plot_px: int) -> int:
        """How many letters fit into `ns` where the drawing is so wide."""
        return int((ns * self._px_per_ns * plot_px / PLOT_PX - 4) / LETTER_PX)

    def traces(self) -> list[dict[str, Any]]:
        """Bar traces in the order of the palette, what lies below first."""
        ordered = sorted(self._styles, key=lambda name: (name != "gap", STYLE_NAMES.index(name)))
        return [_trace(name, self._styles[name]) for name in ordered]


def letters(text: str) -> int:
    """How wide a text is, in Latin letters: those of Chinese are twice as wide."""
    return len(text) + sum(_is_wide(letter) for letter in text)


def first_in_two(names: Sequence[str], most: int) -> tuple[str, str] | None:
    """The first of the names that `in_two` can part."""
    return next(filter(None, (in_two(name, most) for name in names)), None)


def in_two(name: str, most: int) -> tuple[str, str] | None:
    """The name in two lines, each at most so many Latin letters wide, parted at a space, or, of
    one word, between two wide letters; None where it is too long."""
    places = range(1, len(name))
    parts = [(name[:n], name[n + 1 :]) for n in places if name[n] == " "] or [
        (name[:n], name[n:]) for n in places if _is_wide(name[n - 1]) and _is_wide(name[n])
    ]
    fitting = [part for part in parts if max(map(letters, part)) <= most]
    return min(fitting, key=lambda part: max(map(letters, part)), default=None)


def _is_wide(letter: str) -> bool:
    return east_asian_width(letter) in "WF"


def _hatch(style: Style) -> dict[str, Any]:
    """A style's pattern; that of kernels is wider, for names are read across it."""
    is_kernel = style.pattern in SLOT_PATTERNS
    return {
        "shape": style.pattern, "fillmode": "overlay", "fgcolor": style.line,
        "bgcolor": style.fill, "fgopacity": style.opacity, "size": style.size,
        "solidity": 0.06 if is_kernel else 0.22 if style.line == WHITE else 0.16,
    }  # fmt: skip


def _trace(name: str, bars: BarColumns) -> dict[str, Any]:
    style = STYLES[name]
    line = {"width": np.array(bars.outline), "color": style.outline or OUTLINE}
    marker: dict[str, Any] = {"color": style.fill, "line": line}
    if style.pattern:
        marker["pattern"] = _hatch(style)
    named = {"text": bars.text, "textposition": "inside", "insidetextanchor": "middle"}
    font = {"color": style.text} if style.text else {}
    font |= {"shadow": style.halo} if style.halo else {}
    return {
        "type": "bar",
        "orientation": "h",
        "name": name,
        "base": np.array(bars.base),
        "x": np.array(bars.x),
        "y": np.array(bars.y),
        "width": np.array(bars.width),
        "hovertext": bars.hovertext,
        "hoverinfo": "text",
        "marker": marker,
        **(named | {"textangle": 0, "textfont": font} if any(bars.text) else {}),
        **({} if any(bars.text) else {"textposition": "none"}),
    }
