"""What a sweep runs: every combination of the values that are asked for.

An axis is NAME=VALUE,VALUE... with a name of `engine run` (mode, cost, seed, ...) or of a toggle;
numbers may be a range FIRST:END or FIRST:END:STEP, which like Python's leaves END out.
"""

import re
from argparse import ArgumentTypeError
from collections.abc import Callable, Iterator, Mapping
from itertools import product
from math import prod
from typing import Any

from engine.config import ConfigError, check_numbers
from engine.mechanisms.table import BY_NAME
from engine.run_options import percent

OPTIONS: dict[str, Callable[[str], object]] = {
    "seed": int, "cost": str, "workload": str, "batch": int, "requests": int, "steps": int,
    "jitter": percent, "mode": str,
}  # fmt: skip
"""Options of `engine run` that can be an axis, and what their values are. What decides the work
comes first: runs of the same work share their baseline, so they should follow each other."""

MOST_RUNS = 100_000
RANGE = re.compile(r"(-?\d{1,12}):(-?\d{1,12})(?::([1-9]\d{0,11}))?")

Axes = dict[str, list[Any]]


def axes_of(grid: list[str]) -> Axes:
    """The axes that are written down, in the order in which they vary. Raises ConfigError."""
    axes: Axes = {}
    for text in grid:
        name, equals, values = text.partition("=")
        if not (equals and values) or name not in (*OPTIONS, *BY_NAME):
            raise ConfigError(
                f"--grid takes NAME=VALUE,VALUE with a toggle or one of {', '.join(OPTIONS)}, "
                f"not {text!r}"
            )
        if name in axes:
            raise ConfigError(f"{name} is asked for twice: give all of its values at once")
        axes[name] = _values(name, values)
        if OPTIONS.get(name) is int:
            for number in axes[name]:
                check_numbers(**{name: number})
    runs = prod(map(len, axes.values()))
    if runs > MOST_RUNS:
        raise ConfigError(f"the grid has {runs:,} runs, more than {MOST_RUNS:,}: leave some out")
    order = [*OPTIONS, *BY_NAME]
    return dict(sorted(axes.items(), key=lambda axis: order.index(axis[0])))


def combinations(
    axes: Mapping[str, list[Any]], base: Mapping[str, Any]
) -> Iterator[dict[str, Any]]:
    """The arguments of `configure` for each combination; `base` says what is no axis."""
    for values in product(*axes.values()):
        chosen = dict(zip(axes, values, strict=True))
        toggles = {name: value for name, value in chosen.items() if name in BY_NAME}
        others = {name: value for name, value in chosen.items() if name in OPTIONS}
        yield {**base, **others, "set": {**base["set"], **toggles}}


def _values(name: str, text: str) -> list[Any]:
    kind = OPTIONS.get(name, str)
    values: list[Any] = []
    for part in text.split(","):
        match = RANGE.fullmatch(part) if kind is int or _is_count(name) else None
        if match is None:
            values.append(_value(name, kind, part))
            continue
        numbers = range(int(match[1]), int(match[2]), int(match[3] or 1))
        if not 0 < len(numbers) <= MOST_RUNS:
            raise ConfigError(f"{name}: the range {part} has no numbers, or too many")
        values += numbers if kind is int else map(str, numbers)
    return values


def _value(name: str, kind: Callable[[str], object], text: str) -> object:
    try:
        return kind(text)
    except (ValueError, ArgumentTypeError):
        raise ConfigError(f"{name} takes numbers, not {text!r}") from None


def _is_count(name: str) -> bool:
    return name in BY_NAME and BY_NAME[name].is_number
