"""What a gap is: a stretch without work on a device, and what it is made of."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from operator import itemgetter

from traces.schema import NONE

UNTRACED = "host (untraced)"
LATENCY = "start latency"
CANNOT_TELL = "cannot tell"
"""How every cause begins that stands for missing knowledge."""

NOT_ASKED = "cause being worked out"
"""The cause of a gap of which only the place is known so far."""

NO_LAUNCH = "cannot tell (no launch recorded)"


@dataclass(frozen=True)
class GapPart:
    """`ns` of a gap that one cause explains; `span_id` is its longest span (or NONE)."""

    cause: str
    ns: int
    span_id: int


@dataclass(frozen=True)
class Gap:
    """A maximal stretch [start_ns, end_ns) without work on `device`.

    `parts` add up to the gap exactly, the largest first. `where` is "start" (before the
    first kernel), "middle", "end" (after the last) or "whole" (no kernel at all);
    `next_span` is the GPU span that ended the gap (NONE at the end).
    """

    device: int
    start_ns: int
    end_ns: int
    parts: tuple[GapPart, ...]
    where: str
    next_span: int

    @property
    def ns(self) -> int:
        """Length of the gap."""
        return self.end_ns - self.start_ns

    @property
    def cause(self) -> str:
        """The cause of the largest part."""
        return self.parts[0].cause


class Ledger:
    """Collects the parts of one gap; what has the same cause is summed."""

    def __init__(self) -> None:
        self._ns: dict[tuple[str, int], int] = defaultdict(int)

    def add(self, cause: str, ns: int, span_id: int = NONE) -> None:
        """Charge `ns` to a cause; nothing happens for 0."""
        if ns:
            self._ns[cause, span_id] += ns

    def parts(self) -> tuple[GapPart, ...]:
        """The parts, the largest first; ties by name."""
        by_cause: dict[str, int] = defaultdict(int)
        longest: dict[str, int] = {}
        for (cause, span_id), ns in sorted(self._ns.items(), key=itemgetter(1), reverse=True):
            by_cause[cause] += ns
            longest.setdefault(cause, span_id)
        parts = [GapPart(cause, ns, longest[cause]) for cause, ns in by_cause.items()]
        return tuple(sorted(parts, key=lambda part: (-part.ns, part.cause)))


def gaps_by_cause(gaps: Iterable[Gap]) -> dict[str, int]:
    """Idle ns of each cause over all gaps, the largest first."""
    sums: Counter[str] = Counter()
    for gap in gaps:
        for part in gap.parts:
            sums[part.cause] += part.ns
    return dict(sorted(sums.items(), key=lambda item: (-item[1], item[0])))
