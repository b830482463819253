"""Whose operations the arrows from calls to operations say they are.

Correlation ids make these arrows needless, except where processes of one file share their ids. The
arrows' own ids may be shared as well: then only the order of the file tells, and only where it does
so for all ids alike, as in files that were put together one behind the other.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import pandas as pd

from traces.readers.bulk import times_ns
from traces.readers.chrome_reader import FLOW, GROUPS, flow_points
from traces.readers.chrome_text import ChromeText
from traces.readers.correlation import CALL_KINDS, UNKNOWN, can_have_work, processes
from traces.readers.flow_binding import FlowPoint
from traces.readers.kineto import LAUNCH_FLOWS
from traces.schema import HOST

TAIL_FIRST, HEAD_FIRST = re.compile(r"(?:co+)+"), re.compile(r"(?:o+c)+")
"""Ends at a call (c) and at its operations (o), one process behind the other."""


class Place(NamedTuple):
    """Where an arrow ends: the row of the file and the instant at which a span begins."""

    pid: str
    tid: str
    ts_ns: int


def processes_of(spans: pd.DataFrame, chrome: ChromeText, shift_ns: int) -> "pd.Series[str]":
    """Whose each span is, as far as host spans and the arrows of the file tell; `shift_ns` is what
    the spans' clock is behind the file's. Reads the file once more."""
    whose = processes(spans).astype(object)
    calls = spans[(spans["device"] == HOST) & (spans["correlation"] > 0)]
    calls = calls[calls["kind"].isin(CALL_KINDS)]
    calls = calls[can_have_work(calls)]
    found = processes_by_arrows(_points(chrome, shift_ns), set(_places(calls)))
    told = pd.Series([found.get(place, UNKNOWN) for place in _places(spans)], spans.index)
    return whose.where((spans["device"] == HOST) | (whose != UNKNOWN), told)


def _places(spans: pd.DataFrame) -> Iterator["Place"]:
    columns = (spans[name].tolist() for name in ("pid", "tid", "ts_ns"))
    return map(Place, *columns)


def _points(chrome: ChromeText, shift_ns: int) -> Iterator[FlowPoint]:
    """The ends of all launch arrows, on the spans' clock, in the order of the file."""
    for events in chrome.again():
        arrows = [e for e in events if GROUPS.get(e.ph) == FLOW and e.cat in LAUNCH_FLOWS]
        times, is_time = times_ns([event.ts for event in arrows])
        for point, is_timed in zip(flow_points(arrows, times - shift_ns), is_time, strict=True):
            if is_timed:
                yield point


def processes_by_arrows(points: Iterable[FlowPoint], calls: set[Place]) -> dict[Place, str]:
    """The process of each place on a device to which an arrow leads. `points` stand in the order of
    the file; `calls` are the places of the calls that can have work."""
    ends: dict[object, list[Place]] = defaultdict(list)
    called = {(place.pid, place.tid) for place in calls}
    for point in points:
        place = Place(point.pid, point.tid, point.ts_ns)
        if place in calls or (place.pid, place.tid) not in called:
            ends[point.flow].append(place)
    shared = [own for own in ends.values() if len({p.pid for p in own if p in calls}) > 1]
    pairs = _by_order(shared, calls)
    for own in ends.values():
        pids = {place.pid for place in own if place in calls}
        if len(pids) == 1:
            (process,) = pids
            pairs += [(place, process) for place in own if place not in calls]
    whose = defaultdict(set)
    for place, process in pairs:
        whose[place].add(process)
    return {place: next(iter(pids)) for place, pids in whose.items() if len(pids) == 1}


def _by_order(shared: Sequence[list[Place]], calls: set[Place]) -> list[tuple[Place, str]]:
    """(place, process) for arrows with ids that several processes have; nothing where the order
    differs, or would give one device to two processes."""
    pairs: list[tuple[Place, str]] = []
    orders = set()
    for own in shared:
        marks = "".join("c" if place in calls else "o" for place in own)
        if order := TAIL_FIRST.fullmatch(marks) or HEAD_FIRST.fullmatch(marks):
            orders.add(order.re)
            pairs += _nearest(own if order.re is TAIL_FIRST else own[::-1], calls)
    whose = {(place.pid, process) for place, process in pairs}
    is_clear = len(orders) == 1 and len(whose) == len({device for device, _ in whose})
    return pairs if is_clear else []


def _nearest(ends: Iterable[Place], calls: set[Place]) -> Iterator[tuple[Place, str]]:
    """Each operation with the process of the last call before it."""
    process = ""
    for place in ends:
        if place in calls:
            process = place.pid
        else:
            yield place, process
