"""JSON as a machine that reads bytes: which byte may come next, and may the text end here.

A state is a *place* (what has been read of the innermost thing) and the stack of the objects
and arrays around it. Within strings, numbers and literals a table says where a byte leads;
brackets and commas work on the stack. The language is JSON (RFC 8259) in UTF-8, nested at most
`MOST_NESTED` deep, without space behind the outermost value: what is complete must end.

What this module does not do: tokens, masks, requests.
"""

from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

MOST_NESTED = 16
"""How many objects and arrays may stand inside one another."""


class State(NamedTuple):
    """Where a text stands. `stack` holds "{" and "[" of what is open, the innermost last."""

    place: str
    stack: str = ""


START = State("value")

Table = dict[str, dict[int, str]]

DIGITS = b"0123456789"
NUMBER_ENDS = ("zero", "integer", "fraction", "exponent")
"""Places in which a number may be over: what follows it says so."""


def _to(place: str, letters: bytes) -> dict[int, str]:
    return dict.fromkeys(letters, place)


def _string(name: str, after: str) -> Table:
    """A string's places; `after` is where its closing quote leads.

    UTF-8 is that of RFC 3629: no overlong form, no surrogate, nothing above U+10FFFF.
    """
    tail = bytes(range(0x80, 0xC0))
    hexadecimal = [name, *(f"{name} hex {left}" for left in (1, 2, 3, 4))]
    return {
        name: {
            **_to(name, bytes(range(0x20, 0x80))),
            **_to(f"{name} tail 1", bytes(range(0xC2, 0xE0))),
            **_to(f"{name} tail 2", bytes([*range(0xE1, 0xED), 0xEE, 0xEF])),
            **_to(f"{name} tail 3", bytes(range(0xF1, 0xF4))),
            0xE0: f"{name} E0", 0xED: f"{name} ED", 0xF0: f"{name} F0", 0xF4: f"{name} F4",
            **_to(after, b'"'),
            **_to(f"{name} escape", b"\\"),
        },
        f"{name} tail 1": _to(name, tail),
        f"{name} tail 2": _to(f"{name} tail 1", tail),
        f"{name} tail 3": _to(f"{name} tail 2", tail),
        f"{name} E0": _to(f"{name} tail 1", bytes(range(0xA0, 0xC0))),
        f"{name} ED": _to(f"{name} tail 1", bytes(range(0x80, 0xA0))),
        f"{name} F0": _to(f"{name} tail 2", bytes(range(0x90, 0xC0))),
        f"{name} F4": _to(f"{name} tail 2", bytes(range(0x80, 0x90))),
        f"{name} escape": {**_to(name, b'"\\/bfnrt'), **_to(f"{name} hex 4", b"u")},
        **{
            place: _to(less, b"0123456789abcdefABCDEF") for less, place in pairwise(hexadecimal)
        },
    }  # fmt: skip


def _literals() -> Table:
    """A literal's place is what is left of it: after "t" it is "rue"."""
    left = {word[n:] for word in ("true", "false", "null") for n in range(1, len(word))}
    return {rest: _to(rest[1:] or "after", rest[:1].encode()) for rest in left}


def _numbers() -> Table:
    sign, whole = _to("minus", b"-"), {**_to("zero", b"0"), **_to("integer", DIGITS[1:])}
    point, power = _to("point", b"."), _to("power", b"eE")
    return {
        "number": {**sign, **whole},
        "minus": whole,
        "zero": {**point, **power},
        "integer": {**_to("integer", DIGITS), **point, **power},
        "point": _to("fraction", DIGITS),
        "fraction": {**_to("fraction", DIGITS), **power},
        "power": {**_to("power sign", b"+-"), **_to("exponent", DIGITS)},
        "power sign": _to("exponent", DIGITS),
        "exponent": _to("exponent", DIGITS),
    }


def _tables() -> Table:
    table = {**_string("string", "after"), **_string("key", "colon"), **_literals(), **_numbers()}
    literals = {ord(word[0]): word[1:] for word in ("true", "false", "null")}
    value = {**table["number"], **literals, **_to("string", b'"')}
    space = b" \t\n\r"
    return table | {
        "value": {**value, **_to("value", space)},
        "first value": {**value, **_to("first value", space)},
        "first key": {**_to("key", b'"'), **_to("first key", space)},
        "next key": {**_to("key", b'"'), **_to("next key", space)},
        "colon": {**_to("colon", space), **_to("value", b":")},
        "after": _to("after", space),
        "done": {},
    }


_TABLE = _tables()


@lru_cache(maxsize=1 << 16)
def advance(state: State, byte: int) -> State | None:
    """The state after one more byte; None where no JSON text goes on like that."""
    place, stack = state
    follows = _TABLE[place].get(byte)
    if follows is not None:
        return State("done" if follows == "after" and not stack else follows, stack)
    if place in NUMBER_ENDS:
        return advance(State("after", stack), byte) if stack else None
    return _structure(place, stack, byte)


def _structure(place: str, stack: str, byte: int) -> State | None:
    """Brackets and commas: what opens, closes or separates."""
    inner = stack[-1:]
    if place in ("value", "first value") and byte in b"{[" and len(stack) < MOST_NESTED:
        return State("first key" if byte in b"{" else "first value", stack + chr(byte))
    if place == "after" and byte in b",":
        return State("next key" if inner == "{" else "value", stack)
    closes = place in ("after", "first key" if inner == "{" else "first value")
    if closes and inner and byte in (b"}" if inner == "{" else b"]"):
        return State("after" if stack[:-1] else "done", stack[:-1])
    return None


def may_end(state: State) -> bool:
    """True when what has been read is a whole JSON value."""
    return state.place == "done" or (not state.stack and state.place in NUMBER_ENDS)


@lru_cache(maxsize=1 << 12)
def next_bytes(state: State) -> bytes:
    """The bytes that may follow, ascending."""
    return bytes(byte for byte in range(256) if advance(state, byte) is not None)


def read(data: bytes) -> State | None:
    """The state after `data`; None where it is not the beginning of a JSON text."""
    state: State | None = START
    for byte in data:
        state = advance(state, byte) if state else None
    return state
