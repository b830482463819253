"""The table's shorthand in words: "T H(RAW device inputs)" as a reader should meet it.

The table of mechanisms says in letters what is seen when a toggle is wrong. Pages and the
command line show words; `wrong_of` and `protects_of` find what the table says of one value.
"""

import re

from engine.mechanisms.toggles import Info

LETTERS = {
    "T": "wrong tokens",
    "H": "a hazard",
    "G": "a gap",
    "I": "a broken invariant",
    "M": "more memory than the bound",
    "E": "an error",
}
"""What each verdict letter stands for."""

RACES = {
    "RAW": "read after write",
    "WAR": "write after read",
    "WAW": "write after write",
    "UAF": "use after free",
}
"""What each kind of hazard stands for: the order that the engine ought to keep."""

_LETTER = re.compile(r"\b([THGIME])\b")
_RACE = re.compile(r"\b(RAW|WAR|WAW|UAF)\b( (?=[a-z]))?")
_NEXT = re.compile(r"(\b[THGIME]|\)) (?=[THGIME]\b)")
_CLAUSE = re.compile(r"(?<=[.;]) ")


def in_words(shorthand: str) -> str:
    """The shorthand with its letters spelled out: "wrong tokens, a hazard (…)"."""
    text = _RACE.sub(lambda race: RACES[race[1]] + (" on " if race[2] else ""), shorthand)
    text = _NEXT.sub(r"\1, ", text).replace("H(", "H (").replace("I(", "I (")
    text = text.replace(" by timing", " if the timing is so")
    return _LETTER.sub(lambda match: LETTERS[match[1]], text)


def letters_in(shorthand: str) -> frozenset[str]:
    """The verdict letters that the shorthand names."""
    return frozenset(_LETTER.findall(shorthand))


def wrong_of(info: Info, value: str) -> str:
    """What the table says is seen with one value, in shorthand; "" where it says nothing.

    Of "off: T H(RAW host outputs); device: G" and "device" that is "G".
    """
    kept = []
    for clause in _CLAUSE.split(info.seen_when_wrong):
        values = _values_named(clause, info)
        if not values:
            kept.append(clause)
        elif value in values:
            kept.append(clause.partition(": ")[2])
    return " ".join(kept).rstrip(";")


def protects_of(info: Info, value: str) -> str:
    """What the right value protects, with the clauses on it and on `value` and on no other."""
    kept = [
        clause
        for clause in _CLAUSE.split(info.protects)
        if _values_named(clause, info) <= {value, info.correct}
    ]
    return " ".join(kept).rstrip(".;") + "."


def _values_named(clause: str, info: Info) -> set[str]:
    """The values that a clause is about: "one, default: …"; none where it is about all."""
    head, colon, _ = clause.partition(": ")
    return set(head.split(", ")) & set(info.values) if colon else set()
