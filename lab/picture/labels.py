"""Long labels made short, so that they can still be told apart.

The beginning of a name says what it is and its end which one (`… thread 4711`), so a cut goes
through the middle; where that leaves two names alike, their common beginning goes instead.
"""

from collections.abc import Sequence
from os.path import commonprefix

CUT = "…"


def shortened(labels: Sequence[str], longest: int) -> list[str]:
    """Each label with at most `longest` characters, in the order given."""
    cut = [_middle_cut(label, longest) for label in labels]
    alike = {short for short, label in zip(cut, labels, strict=True) if _twins(short, cut, labels)}
    prefix = commonprefix([x for x, short in zip(labels, cut, strict=True) if short in alike])
    return [
        _middle_cut(CUT + label[len(prefix) :], longest) if short in alike else short
        for label, short in zip(labels, cut, strict=True)
    ]


def _middle_cut(label: str, longest: int) -> str:
    if len(label) <= longest:
        return label
    head = longest * 2 // 5
    return label[:head] + CUT + label[len(label) - (longest - head - 1) :]


def _twins(short: str, cut: Sequence[str], labels: Sequence[str]) -> bool:
    """Whether different labels came out as `short`."""
    return len({label for label, other in zip(labels, cut, strict=True) if other == short}) > 1
