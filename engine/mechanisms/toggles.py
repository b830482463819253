"""A toggle as data: a field that carries its row of the table of mechanisms.

What this module does not know: which mechanisms there are (`engine.mechanisms.table`).
"""

from dataclasses import Field, dataclass, field
from typing import Any


@dataclass(frozen=True)
class Info:
    """What the table says of one mechanism. `seen_when_wrong` uses the letters T H G I M E."""

    name: str
    group: str
    values: tuple[str, ...]
    correct: str
    protects: str
    seen_when_wrong: str
    in_the_wild: str

    @classmethod
    def of(cls, item: Field[Any]) -> "Info":
        """The row of a field made by `toggle`."""
        data = item.metadata
        values = data["values"]
        return cls(
            item.name, data["group"], values, values[0],
            data["protects"], data["wrong"], data["wild"],
        )  # fmt: skip

    @property
    def is_number(self) -> bool:
        """True for depth and slot counts, which take any whole number from 1."""
        return self.correct.isdigit()


def toggle(group: str, values: str, protects: str, wrong: str, wild: str = "") -> Any:  # noqa: ANN401
    """A field with its row of the table; the first of `values` is the correct one."""
    options = tuple(values.split(" | "))
    metadata = {
        "group": group, "values": options, "protects": protects, "wrong": wrong, "wild": wild,
    }  # fmt: skip
    return field(default=decode(options[0], options), metadata=metadata)


def decode(text: str, options: tuple[str, ...]) -> bool | int | str:
    """A toggle's value from its text, one of `options` (or any number, where they are)."""
    if set(options) == {"on", "off"}:
        return text == "on"
    return int(text) if text.isdigit() else text


Toggle = bool | int | str
"""A toggle's value: on or off, a count, or a word."""


def encode(value: Toggle) -> str:
    """A toggle's value as the command line and the URL write it."""
    if isinstance(value, bool):
        return "on" if value else "off"
    return str(value)
