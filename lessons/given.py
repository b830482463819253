"""What a student's code gives: numbers of any library, and words that say it on one line.

Nothing here raises, whatever it is given: its own methods may.
"""

import math
from numbers import Integral, Real

MOST_SHOWN = 60


def number(given: object) -> float | None:
    """A real number of any type as a float, infinite where it is too large for one; None for all
    else. True and False are no numbers here."""
    if isinstance(given, bool) or not isinstance(given, Real):
        return None
    try:
        return float(given)
    except OverflowError:
        return math.inf
    except Exception:
        return None


def whole(given: object) -> int | None:
    """A whole number of any type as an int; None for all else. True and False are none."""
    if isinstance(given, bool) or not isinstance(given, Integral):
        return None
    try:
        return int(given)
    except Exception:
        return None


def shown(given: object, most: int = MOST_SHOWN) -> str:
    """How Python writes it, on one line and cut after `most` characters."""
    try:
        return one_line(repr(given), most)
    except BaseException:  # their `__repr__` may raise anything
        return f"a {type(given).__name__}"


def told(error: BaseException, most: int = 200) -> str:
    """An exception's type and what it says, on one line."""
    try:
        text = one_line(str(error), most)
    except BaseException:  # as above
        text = ""
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def one_line(text: str, most: int) -> str:
    """Text that can be written anywhere: one line, cut after `most` characters, and what is half
    a character spelled out."""
    line = " ".join(text[: 4 * most].split())
    line = line.encode("utf-8", "backslashreplace").decode("utf-8")
    return line if len(line) <= most else line[: most - 1] + "…"
