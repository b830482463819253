"""Rectangles that others are drawn over, cut into the parts that stay free.

Where kernels and copies share a stream, copies lie over idle time: a gap is a stretch without a
kernel. Its name would be half hidden, so it goes to the widest of the free parts.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from lab.picture.lanes import Lane
from lab.picture.lod import Rects


def parted(rects: Rects, over: Rects) -> tuple[Rects, NDArray[np.bool_]]:
    """The rectangles with those that stand for one span each cut around the single spans of `over`
    (sorted, none overlapping another), and for each part whether it is the widest of its own."""
    solid = over.count == 1
    start, end = over.start[solid], over.end[solid]
    first = np.searchsorted(end, rects.start, "right")
    stop = np.searchsorted(start, rects.end, "left")
    covered = (stop > first) & (rects.count == 1)
    if not covered.any():
        return rects, np.ones(len(rects), dtype=bool)
    parts: list[tuple[int, int]] = []
    places: list[int] = []
    named: list[bool] = []
    for place, is_cut in enumerate(covered.tolist()):
        holes = slice(first[place], stop[place]) if is_cut else slice(0)
        froms = [int(rects.start[place]), *end[holes].tolist()]
        tos = [*start[holes].tolist(), int(rects.end[place])]
        free = [(a, b) for a, b in zip(froms, tos, strict=True) if a < b or not is_cut]
        widest = max(free, key=lambda part: part[1] - part[0], default=None)
        parts += free
        places += [place] * len(free)
        named += [part == widest for part in free]
    return _taken(rects, parts, places), np.array(named, dtype=bool)


def _taken(rects: Rects, parts: list[tuple[int, int]], places: list[int]) -> Rects:
    start, end = np.array(parts, dtype=np.int64).reshape(-1, 2).T
    place = np.array(places, dtype=np.int64)
    count = rects.count[place]
    busy = np.where(count == 1, end - start, rects.busy[place])
    return Rects(start, end, busy, count, rects.span[place], rects.style[place])


def parted_strips(
    lanes: Sequence[Lane], reduced: Sequence[Rects]
) -> list[tuple[Rects, NDArray[np.bool_]]]:
    """What is drawn of the strips of all lanes, one after the other: gaps are parted by the strip
    that lies over them."""
    found = []
    strips = [(lane.key, strip.is_gap) for lane in lanes for strip in lane.strips]
    for number, ((lane, is_gap), rects) in enumerate(zip(strips, reduced, strict=True)):
        if is_gap and strips[number + 1 :] and strips[number + 1][0] == lane:
            found.append(parted(rects, reduced[number + 1]))
        else:
            found.append((rects, np.ones(len(rects), dtype=bool)))
    return found
