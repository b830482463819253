"""A fork of a run: the same run, in which toggles or durations change at an instant.

A run is deterministic, so its fork is run from the beginning; up to the instant it is its parent
to the byte. What the change means in the middle of a run:

- a toggle holds from the next method of the loop that the host enters at or behind the instant;
  one that it is in goes on as it began;
- a duration holds for all that the host begins or calls at or behind the instant; what is already
  queued or running keeps the time it was given;
- what is built before the first step cannot change: see `FIXED`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from engine.device.cost import MS, CostModel
from engine.device.durations import DURATIONS, check_duration, with_duration
from engine.mechanisms.table import BY_NAME, TABLE, MechanismError, Mechanisms, parse

_STREAMS = "the streams are made before the first step"
_MEMORY = "the buffers are allocated before the first step"
_KERNELS = "it is built into the kernels"
_FORM = "it chooses the form of the loop, and how much memory the batches in flight get"
_LENGTHS = "kernels and the longest length of each request are made for it"

FIXED = {
    "streams": _STREAMS, "stream_kind": _STREAMS, "graph_concurrency": _STREAMS,
    "device_slots": _MEMORY, "host_slots": _MEMORY, "memory": _MEMORY, "carry_ring": _MEMORY,
    "sampling": _MEMORY, "graphs": _MEMORY, "graph_output": _MEMORY,
    "carry": _KERNELS, "rng": _KERNELS, "depth": _FORM, "loop": _FORM,
    "eos_policy": _LENGTHS, "length_check": _LENGTHS,
    "result_key": "results of batches in flight are known by the key they left with",
    "output_memory": "the allocator's pool is filled before the first step",
    "row_invalidate": "rows that ended before are cleared or kept already",
    "blocking_launch": "CUDA reads CUDA_LAUNCH_BLOCKING once, when it starts",
    "timer": "it says how the whole run is measured, and changes nothing in it",
    "inject": "the failure is planned before the first step",
}  # fmt: skip
"""Toggles that a fork cannot change, and why. Of all others holds: changed at the beginning, the
fork is the run that has them so from the start."""

CHANGEABLE = tuple(info.name for info in TABLE if info.name not in FIXED)
"""Toggles that a fork can change."""


class ForkError(ValueError):
    """A fork that cannot be made; the message is one sentence."""


@dataclass(frozen=True)
class Fork:
    """What changes at `at_ns`: toggles and durations by name, as text ("off", "3x", "12ms")."""

    at_ns: int
    toggles: Mapping[str, str] = field(default_factory=dict)
    durations: Mapping[str, str] = field(default_factory=dict)

    def mechanisms(self, before: Mechanisms) -> Mechanisms:
        """The mechanisms from the instant on."""
        return before.with_settings(self.toggles)

    def cost(self, before: CostModel) -> CostModel:
        """The durations from the instant on. Raises DurationError where one cannot be set."""
        for name, text in self.durations.items():
            before = with_duration(before, name, text)
        return before

    def describe(self) -> dict[str, Any]:
        """What a trace file says of it."""
        return {"at_ns": self.at_ns, "changes": {**self.toggles, **self.durations}}

    @property
    def text(self) -> str:
        """The changes as they are written: "wait_h2d=off h2d=3x"."""
        changes = {**self.toggles, **self.durations}
        return " ".join(f"{name}={value}" for name, value in changes.items())


def make_fork(at_ms: float, changes: Mapping[str, str]) -> Fork:
    """A fork at an instant (ms), with changes by name.

    Raises ForkError, MechanismError or DurationError with one sentence.
    """
    if not 0 <= at_ms < 1e9:
        raise ForkError(f"a fork is made at an instant of the run in ms, not at {at_ms}")
    durations = {name: value for name, value in changes.items() if name in DURATIONS}
    toggles = {name: value for name, value in changes.items() if name not in DURATIONS}
    for name, value in durations.items():
        check_duration(name, value)
    for name, value in toggles.items():
        _check_toggle(name, value)
    return Fork(round(at_ms * MS), toggles, durations)


def _check_toggle(name: str, value: str) -> None:
    if name in FIXED:
        raise ForkError(f"{name} cannot change in the middle of a run: {FIXED[name]}")
    if name not in BY_NAME:
        raise MechanismError(
            f"a fork changes a toggle or a duration ({', '.join(DURATIONS[:4])}, ...), and "
            f"{name!r} is neither"
        )
    parse(name, value)


def read_changes(text: str) -> dict[str, str]:
    """Changes by name from "wait_h2d=off h2d=3x"; commas may stand between them.

    Raises ForkError where a part is no NAME=VALUE.
    """
    changes: dict[str, str] = {}
    rest = text.strip()
    while rest:
        name, equals, rest = rest.partition("=")
        value, _, rest = rest.strip().partition(" ")
        name, value = name.strip(" ,;"), value.strip(" ,;")
        if not (name and equals and value):
            raise ForkError(f"a fork takes NAME=VALUE, not {name + equals + value!r}")
        changes[name] = value
    return changes
