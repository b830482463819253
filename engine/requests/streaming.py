"""How much of an output may be shown: no part of a stop string, and no half character.

An output is bytes that arrive one by one. A stop string ends it and is not part of the text, so
what may yet become one is held back, and so are the first bytes of a character of several.

What this module does not do: hand text out (`engine.parts`).
"""

from collections.abc import Sequence

_LEADS = {**dict.fromkeys(range(0xC2, 0xE0), 2), **dict.fromkeys(range(0xE0, 0xF0), 3)}
_LEADS |= dict.fromkeys(range(0xF0, 0xF5), 4)
"""Bytes of a UTF-8 character by its first byte (RFC 3629)."""


def text_end(tokens: Sequence[int], stops: Sequence[str]) -> int | None:
    """Where the text ends if the newest token completes a stop string, else None."""
    found = [stop for stop in map(str.encode, stops) if _ends_with(tokens, stop)]
    return len(tokens) - max(map(len, found)) if found else None


def showable(tokens: Sequence[int], stops: Sequence[str]) -> int:
    """How many tokens of an output that goes on may be shown; it never shrinks as tokens come."""
    held = max((_beginning_of(stop.encode(), tokens) for stop in stops), default=0)
    shown = len(tokens) - held
    return shown - _half_character(tokens[max(0, shown - 3) : shown])


def _beginning_of(stop: bytes, tokens: Sequence[int]) -> int:
    """The length of the longest beginning of `stop`, short of the whole, that ends `tokens`."""
    lengths = range(min(len(stop) - 1, len(tokens)), 0, -1)
    return next((length for length in lengths if _ends_with(tokens, stop[:length])), 0)


def _ends_with(tokens: Sequence[int], data: bytes) -> bool:
    return list(tokens[-len(data) :]) == list(data)


def _half_character(tail: Sequence[int]) -> int:
    """How many of the last bytes are a character that lacks its end."""
    for length, byte in enumerate(reversed(tail), 1):
        if byte in _LEADS:
            return length if length < _LEADS[byte] else 0
        if not 0x80 <= byte < 0xC0:
            return 0
    return 0
