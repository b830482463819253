"""Begin and end events to spans: nested ones of a thread, and asynchronous ones by id."""

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator
from typing import Generic, NamedTuple, Protocol, TypeVar


class Named(Protocol):
    """An event that may have a name."""

    @property
    def name(self) -> Hashable:
        """The name; None or "" for none."""


K = TypeVar("K", bound=Hashable)
N = TypeVar("N", bound=Named)


ANY = (None, "")
"""Names of an end that closes whatever is innermost."""


class Paired(NamedTuple, Generic[K, N]):
    """The beginning event, its times in ns, and the nest it is from."""

    event: N
    start_ns: int
    end_ns: int
    key: K


class Pairing(Generic[K, N]):
    """Collects begin and end marks in any order and pairs them when all are known.

    `stray_ends` counts ends without a beginning, `unclosed` beginnings without an end.
    """

    def __init__(self) -> None:
        self._marks: dict[K, list[tuple[int, bool, N]]] = defaultdict(list)
        self.stray_ends = self.unclosed = 0

    def add(self, key: K, ts_ns: int, begins: bool, event: N) -> None:
        """One mark of the nest that `key` names (a thread, or an asynchronous id)."""
        self._marks[key].append((ts_ns, begins, event))

    def latest_ns(self) -> int | None:
        """The time of the last mark, or None."""
        times = [ts for marks in self._marks.values() for ts, _, _ in marks]
        return max(times, default=None)

    def spans(self, trace_end_ns: int) -> Iterator[Paired[K, N]]:
        """All spans. An end closes the innermost open span of its name (or any, if it has
        none) and all inside it; what stays open is drawn to the end of the trace."""
        for key, marks in self._marks.items():
            marks.sort(key=lambda mark: mark[0])
            still_open: list[tuple[N, int]] = []
            open_names: Counter[Hashable] = Counter()
            for ts, begins, event in marks:
                if begins:
                    still_open.append((event, ts))
                    open_names[event.name] += 1
                    continue
                if not still_open or (event.name not in ANY and not open_names[event.name]):
                    self.stray_ends += 1
                    continue
                closed = still_open[_matching(still_open, event) :]
                yield from (Paired(begin, start, ts, key) for begin, start in closed)
                del still_open[len(still_open) - len(closed) :]
                open_names.subtract(begin.name for begin, _ in closed)
            self.unclosed += len(still_open)
            yield from (Paired(begin, start, trace_end_ns, key) for begin, start in still_open)


def _matching(still_open: list[tuple[N, int]], end: N) -> int:
    """Depth of the span that an end event closes; there is one."""
    depth = len(still_open) - 1
    while end.name not in (*ANY, still_open[depth][0].name):
        depth -= 1
    return depth
