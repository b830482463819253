"""The durations of a cost model by name, and a cost model with one of them changed.

`h2d`, `d2h`, `launch`, `event` and `kv copy` are one duration each; `compute` and `host` are all
kernels and all steps of the host together, `compute.layer` and `host.schedule` one of them.
A change is written as a factor ("3x", "0.5x") or as a time a step ("12ms").
"""

import re
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

from engine.device.cost import HOST_EXTRA, HOST_STEPS, KERNEL_FAMILIES, MS, CostModel

SINGLE = {
    "h2d": "h2d_ns", "d2h": "d2h_ns", "launch": "launch_ns", "event": "event_ns",
    "kv copy": "kv_block_ns",
}  # fmt: skip
GROUPS = {
    "compute": ("kernel_ns", KERNEL_FAMILIES),
    "host": ("host_ns", tuple(s for s in HOST_STEPS + HOST_EXTRA if s not in ("launch", "wait"))),
}
"""The field of a group, and its members; "launch" and "wait" cost what their calls cost."""

BY_AMOUNT = {"compute": "kernel_ns_per_token", "host": "host_ns_per_row"}
"""What a group takes more for more work; it grows with the whole group."""

DURATIONS = (
    "h2d", "compute", "d2h", "host", "launch", "event", "kv copy",
    *(f"{group}.{name}" for group, (_, names) in GROUPS.items() for name in names),
)  # fmt: skip
"""Every name, the most usual ones first."""

MOST_FACTOR, MOST_MS = 1000, 10_000
_VALUE = re.compile(r"(\d+(?:\.\d+)?) ?(x|ms)")


class DurationError(ValueError):
    """A change of a duration that makes no sense; the message is one sentence."""


def check_duration(name: str, text: str) -> None:
    """Raise DurationError where there is no such duration, or `text` is no change of one."""
    if name not in DURATIONS:
        raise DurationError(f"no duration {name!r}: use one of {', '.join(DURATIONS)}")
    _read(name, text)


def with_duration(cost: CostModel, name: str, text: str) -> CostModel:
    """The cost model with a duration changed as `text` says ("3x", "12ms").

    A group in ms keeps the proportions of its members. Raises DurationError as `check_duration`,
    or where a group that takes no time is to be stretched to one.
    """
    check_duration(name, text)
    amount, unit = _read(name, text)
    if unit == "x":
        return scaled(cost, name, amount)
    wanted_ns, now_ns = amount * MS, duration_ns(cost, name)
    if now_ns:
        return scaled(cost, name, wanted_ns / now_ns)
    if name in GROUPS and wanted_ns:
        raise DurationError(f"{name} takes no time here: name one part, such as {_first_of(name)}")
    return _with_entry(cost, name, int(wanted_ns))


def duration_ns(cost: CostModel, name: str) -> int:
    """How long it takes (ns): a call, a step's copies, a step's kernels or host work."""
    if name in SINGLE:
        return int(getattr(cost, SINGLE[name]))
    group, _, member = name.partition(".")
    entries = getattr(cost, GROUPS[group][0])
    return int(entries.get(member, 0) if member else sum(entries.values()))


def scaled(cost: CostModel, name: str, factor: Fraction) -> CostModel:
    """The cost model with a duration so many times as long, rounded down to a nanosecond."""
    if name in SINGLE:
        return _with_entry(cost, name, int(duration_ns(cost, name) * factor))
    group, _, member = name.partition(".")
    entries = [GROUPS[group][0]]
    if not member or group == "host":  # a kernel's share of the time a token takes is not its own
        entries.append(BY_AMOUNT[group])
    changes = {entry: _times(getattr(cost, entry), member, factor) for entry in entries}
    return replace(cost, **changes)


def _times(value: Mapping[str, int] | int, member: str, factor: Fraction) -> Any:  # noqa: ANN401
    if isinstance(value, int):
        return int(value * factor)
    return {k: int(ns * factor) if member in ("", k) else ns for k, ns in value.items()}


def single_durations(cost: CostModel) -> list[str]:
    """The durations that take time in a cost model, groups apart."""
    return [name for name in DURATIONS if name not in GROUPS and duration_ns(cost, name)]


def _with_entry(cost: CostModel, name: str, ns: int) -> CostModel:
    if name in SINGLE:
        changed: dict[str, Any] = {SINGLE[name]: ns}
    else:
        group, _, member = name.partition(".")
        entry = GROUPS[group][0]
        changed = {entry: {**getattr(cost, entry), member: ns}}
    return replace(cost, **changed)


def _read(name: str, text: str) -> tuple[Fraction, str]:
    found = _VALUE.fullmatch(text.strip())
    most = {"x": MOST_FACTOR, "ms": MOST_MS}
    if found is None or Fraction(found[1]) > most[found[2]]:
        raise DurationError(
            f"{name} is changed by a factor up to {MOST_FACTOR}x or set to a time up to "
            f"{MOST_MS}ms, such as 3x or 12ms, not by {text!r}"
        )
    return Fraction(found[1]), found[2]


def _first_of(group: str) -> str:
    return f"{group}.{GROUPS[group][1][0]}"
