"""What a timeline shows, for those who do not see it: as a sentence with numbers, and as a table.

Both are taken from the lanes that are drawn and from the window alone. Plain functions on panels;
no widget is drawn here.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from lab.catalogue import t
from lab.escape import one_line
from lab.picture.gantt import Panel
from lab.picture.hover import cause_text, kind_text
from lab.picture.lanes import Lane, Strip
from lab.picture.lod import Ints
from lab.picture.palette import slot_letter
from lab.units import percent, short_ms
from traces.schema import NONE

MOST_ROWS = 5000
"""The table is cut there; a narrower window shows the rest."""

Window = tuple[int, int]
Row = tuple[float, float, str, str, str, int | None, str | None]
"""Start and duration (ms), lane, kind, name, step, slot."""


class Piece(NamedTuple):
    """A strip of a lane, with the places of those of its rectangles that touch the window."""

    lane: Lane
    strip: Strip
    inside: Ints


def told(panels: Sequence[Panel], window: Window) -> str:
    """The picture in a sentence for each panel: how much is drawn, how long the device was idle,
    the longest gap and its cause, hazards."""
    start, end = (f"{at / 1e6:,.3f}" for at in window)
    return " ".join([t("shown.window", start=start, end=end), *(_of(p, window) for p in panels)])


def _of(panel: Panel, window: Window) -> str:
    pieces = list(_pieces(panel, window))
    spans = sum(len(piece.inside) for piece in pieces if not piece.strip.is_gap)
    counted = t("shown.spans", spans=f"{spans:,}", lanes=len(panel.lanes))
    said = [f"{one_line(panel.title, 200)}: {counted}" if panel.title else counted]
    said += [_of_gaps(panel, piece, window) for piece in pieces if piece.strip.is_gap]
    if panel.hazards:
        said.append(t("shown.hazards", count=len(panel.hazards)))
    return "; ".join(said) + "."


def _of_gaps(panel: Panel, piece: Piece, window: Window) -> str:
    """Idle time in the window on one lane; gaps at its edges count as far as they are in it."""
    layer, inside = piece.strip.layer, piece.inside
    if not len(inside):
        return t("shown.no_gaps", lane=one_line(piece.lane.name))
    start, end = layer.start[inside], layer.end[inside]
    ns = np.minimum(end, window[1]) - np.maximum(start, window[0])
    longest = int(inside[np.argmax(end - start)])
    cause = panel.gaps[int(layer.span[longest])].cause
    return t(
        "shown.gaps", lane=one_line(piece.lane.name), count=f"{len(inside):,}",
        idle=short_ms(int(ns.sum())), share=percent(int(ns.sum()) / max(1, window[1] - window[0])),
        longest=short_ms(int(layer.dur[longest])), cause=cause_text(cause),
    )  # fmt: skip


def _pieces(panel: Panel, window: Window) -> Iterator[Piece]:
    for lane in panel.lanes:
        for strip in lane.strips:
            layer = strip.layer
            inside = (layer.start < window[1]) & (layer.end > window[0])
            yield Piece(lane, strip, np.flatnonzero(inside))


def shown_table(panels: Sequence[Panel], window: Window) -> pd.DataFrame:
    """Every span and gap of the picture in the order of time, at most MOST_ROWS of a panel:
    where, what, when and how long (ms), of which step and slot; of which run, if there are
    several."""
    tables = [_table(panel, window) for panel in panels]
    if len(tables) > 1:
        for panel, table in zip(panels, tables, strict=True):
            table.insert(0, t("shown.run"), one_line(panel.title, 200))
    return pd.concat(tables, ignore_index=True)


def _table(panel: Panel, window: Window) -> pd.DataFrame:
    rows = [row for piece in _pieces(panel, window) for row in _rows(panel, piece)]
    rows.sort(key=lambda row: row[0])
    names = ("span.start", "span.dur", "span.lane", "span.kind", "span.name", "span.step",
             "span.slot")  # fmt: skip
    table = pd.DataFrame(rows[:MOST_ROWS], columns=[t(name) for name in names])
    table[t("span.step")] = table[t("span.step")].astype("Int64")
    return table


def _rows(panel: Panel, piece: Piece) -> Iterator[Row]:
    """The first MOST_ROWS rectangles of a piece as rows."""
    (lane, strip, inside), spans = piece, panel.trace.spans
    inside = inside[:MOST_ROWS]
    layer = strip.layer
    numbers = layer.span[inside]
    columns = {name: spans[name].array for name in ("kind", "name", "step", "slot")}
    places = zip(layer.start[inside].tolist(), layer.dur[inside].tolist(), numbers.tolist(),
                 strict=True)  # fmt: skip
    for start, ns, number in places:
        when = start / 1e6, ns / 1e6, one_line(lane.name)
        if strip.is_gap:
            yield *when, t("shown.gap"), cause_text(panel.gaps[number].cause), None, None
            continue
        kind, name, step, slot = (columns[column][number] for column in columns)
        letter = slot_letter(int(slot)) if slot != NONE else None
        yield (
            *when,
            kind_text(str(kind)),
            one_line(str(name)),
            int(step) if step != NONE else None,
            letter,
        )
