"""From the events of a Chrome or PyTorch profiler file to the parts of a `Trace`.

Takes a piece of the file at a time, its events sorted by phase: complete ones, begin and end,
asynchronous ones, instants, counters, metadata, and the ends of arrows.
"""

from collections import Counter, defaultdict
from collections.abc import Hashable, Sequence

import numpy as np

from traces.readers.assembly import LaneNames
from traces.readers.async_ids import async_id
from traces.readers.bulk import OPEN, BulkReader, Int64s, times_ns
from traces.readers.chrome_text import ChromeText
from traces.readers.counter_table import CounterTable, all_args
from traces.readers.event_repair import Event
from traces.readers.flow_binding import FlowPoint
from traces.readers.kineto import LAUNCH_FLOWS
from traces.readers.nests import Nests
from traces.readers.pairing import ANY
from traces.readers.span_table import SpanTable, code, text
from traces.schema import NONE

NO_TIME = "no time"
NEGATIVE = "negative duration"
NOT_DRAWN = "not drawn"

COMPLETE, NESTED, ASYNC, INSTANT, COUNTER, METADATA, FLOW = range(7)
"""Groups of phases, in the order in which they are read: arrows need to know of the calls."""

GROUPS = {
    "X": COMPLETE, "B": NESTED, "E": NESTED, "C": COUNTER, "M": METADATA,
    **dict.fromkeys("beSF", ASYNC), **dict.fromkeys("nTpiIR", INSTANT),
    **dict.fromkeys("stf", FLOW),
}  # fmt: skip
BEGINS = frozenset("BbS")


class ChromeReader:
    """Collects the events of one file; `chrome_trace` makes the trace of it. What is made of the
    file's texts holds at most `max_bytes`."""

    def __init__(self, max_bytes: int) -> None:
        self.table = SpanTable()
        self.names = LaneNames()
        self.points: list[FlowPoint] = []
        """Ends of arrows, without those that correlation ids make needless."""
        self.counters = CounterTable(max_bytes)
        self.nests = Nests()
        self.bulk = BulkReader(self.table)
        self.skipped: Counter[str] = Counter()
        self._nest_numbers: dict[Hashable, int] = {}
        self._end_ns = 0
        self._by_group = (
            self._complete, self._nested, self._async, self._instant, self._counter,
            self._metadata, self._flow,
        )  # fmt: skip

    def read(self, chrome: ChromeText) -> None:
        """Take in every event of the file."""
        for events in chrome:
            self.take(events)
        self.skipped[NO_TIME] += self.bulk.lost
        if self.bulk.has_correlations:
            self.points = [point for point in self.points if point.flow[0] not in LAUNCH_FLOWS]
        self.table.end(*self.nests.ends(max(self._end_ns, self.bulk.end_ns)))

    def take(self, events: list[Event]) -> None:
        """Take in events that stand one behind the other in the file."""
        groups: dict[int, list[Event]] = defaultdict(list)
        for event in events:
            groups[GROUPS.get(event.ph, NONE)].append(event)
        self.skipped[NOT_DRAWN] += sum(event.ph != "" for event in groups.pop(NONE, []))
        for group in sorted(groups):
            self._by_group[group](groups[group])

    def _timed(self, events: list[Event]) -> tuple[list[Event], Int64s]:
        """The events that have a time, and their times (ns)."""
        starts, is_time = times_ns([event.ts for event in events])
        if is_time.all():
            return events, starts
        self.skipped[NO_TIME] += int((~is_time).sum())
        return _chosen(events, is_time), starts[is_time]

    def _complete(self, events: list[Event]) -> None:
        events, starts = self._timed(events)
        lengths, is_time = times_ns([event.dur for event in events], missing=0)
        usable = is_time & (lengths >= 0)
        if not usable.all():
            self.skipped[NO_TIME] += int((~is_time).sum())
            self.skipped[NEGATIVE] += int((is_time & (lengths < 0)).sum())
            events, starts, lengths = _chosen(events, usable), starts[usable], lengths[usable]
        self.bulk.spans(events, starts, lengths)

    def _nested(self, events: list[Event]) -> None:
        events, times = self._timed(events)
        begins = np.array([event.ph in BEGINS for event in events], dtype=bool)
        rows = np.full(len(events), NONE)
        opened = _chosen(events, begins)
        rows[begins] = self.bulk.spans(opened, times[begins], np.full(len(opened), OPEN))
        self._marks([(event.pid, event.tid) for event in events], events, times, rows)

    def _async(self, events: list[Event]) -> None:
        events, times = self._timed(events)
        begins = np.array([event.ph in BEGINS for event in events], dtype=bool)
        rows = np.full(len(events), NONE)
        rows[begins] = self.bulk.asyncs(_chosen(events, begins), times[begins])
        self._marks([async_id(event) for event in events], events, times, rows)

    def _marks(
        self, keys: Sequence[Hashable], events: list[Event], times: Int64s, rows: Int64s
    ) -> None:
        """Note the beginnings and ends of the nests that `keys` name."""
        nests, names = self._nest_numbers, self.table.names
        numbers = np.array([code(nests, key) for key in keys], dtype=np.int64)
        called = [
            NONE if event.ph not in BEGINS and event.name in ANY else code(names, text(event.name))
            for event in events
        ]
        self.nests.add(numbers, np.array(called, dtype=np.int64), times, rows)
        self._end_ns = max(self._end_ns, int(times.max(initial=0)))

    def _instant(self, events: list[Event]) -> None:
        self.bulk.instants(*self._timed(events))

    def _counter(self, events: list[Event]) -> None:
        self.counters.extend(*self._timed(events))

    def _flow(self, events: list[Event]) -> None:
        if self.bulk.has_correlations:
            events = [event for event in events if event.cat not in LAUNCH_FLOWS]
        self.points += flow_points(*self._timed(events))

    def _metadata(self, events: list[Event]) -> None:
        for event, args in zip(events, all_args(events), strict=True):
            name = (args or {}).get("name")
            if not isinstance(name, str):
                continue
            if event.name == "process_name":
                self.names.processes[text(event.pid)] = name.strip()
            elif event.name == "thread_name":
                self.names.threads[text(event.pid), text(event.tid)] = name.strip()


def flow_points(events: list[Event], times: Int64s) -> list[FlowPoint]:
    """The ends of arrows, from their events and when these are (ns)."""
    return [
        FlowPoint(
            (event.cat, event.name, event.id), text(event.pid), text(event.tid), ts_ns,
            event.ph != "s" and event.bp != "e",
        )
        for event, ts_ns in zip(events, times.tolist(), strict=True)
    ]  # fmt: skip


def _chosen(events: list[Event], is_chosen: np.ndarray) -> list[Event]:
    return [event for event, own in zip(events, is_chosen.tolist(), strict=True) if own]
