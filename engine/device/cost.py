"""The time model of the virtual device: how long each piece of work takes.

Everything is integer nanoseconds when nothing else runs. A cost model is plain data:
it can be written as a small JSON file and read back. Jitter multiplies durations by
seeded random factors, so that a race can be tried under many timings.
"""

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from traces.step_parts import GO_ON

MS = 1_000_000
US = 1_000

HOST_STEPS = (
    "schedule",
    "allocate",
    "update inputs",
    "launch",
    "wait",
    "read",
    "update state",
    "stream",
    "repeat",
)
"""The nine steps of a synchronous engine, in order. "launch" and "wait" cost what their
device calls cost, so they have no line in `host_ns`."""

BESIDE = GO_ON
"""Host work of a step behind its last call, while the device works on it already: an engine that
launches many small kernels is still at it. Most cost models have none."""

HOST_EXTRA = ("mask", BESIDE)
"""Host work that only some have: batches with masks for grammars and penalties, and `BESIDE`."""

KERNEL_FAMILIES = ("carry", "embed", "layer", "head", "sample")


LIMITS = {
    "pageable_factor": (1, 1000),
    "chunks": (1, 1000),
    "copy_engines": (1, 2),
    "occupancy": (0, 1000),
    "kernel_bandwidth": (0, 1000),
    "copy_bandwidth": (0, 1000),
}
"""Smallest and largest value of what is no duration."""


class CostError(ValueError):
    """A cost model that cannot be used; the message is one sentence."""


@dataclass(frozen=True)
class CostModel:
    """Durations in ns.

    host_ns: fixed host time by step name; host_ns_per_row: more for each request row.
    kernel_ns: whole time of a kernel family a step (the layers together for "layer");
    kernel_ns_per_token: more for each token row beyond the first `free_tokens`.
    h2d_ns, d2h_ns: one step's input copies together (its masks, where it has some, take as
    long again), and its output copy.
    kv_block_ns: a copy of one KV block, all layers together, to or from host memory.
    pageable_factor: a pageable copy takes this many times as long.
    launch_ns: host time of one launch or copy call; event_ns: of one record or wait.
    alloc_ns: host time of a cold device allocation, beside the synchronisation.
    chunks: pieces a copy moves in. copy_engines: 2 (one a direction) or 1 (shared).
    occupancy, kernel_bandwidth, copy_bandwidth: permille of the device.
    """

    name: str = "custom"
    about: str = ""
    workload: str = "chat"
    host_ns: Mapping[str, int] = field(default_factory=dict)
    host_ns_per_row: Mapping[str, int] = field(default_factory=dict)
    kernel_ns: Mapping[str, int] = field(default_factory=dict)
    kernel_ns_per_token: int = 0
    free_tokens: int = 0
    h2d_ns: int = 0
    d2h_ns: int = 0
    kv_block_ns: int = 0
    pageable_factor: int = 3
    launch_ns: int = 0
    event_ns: int = 0
    alloc_ns: int = 0
    chunks: int = 4
    copy_engines: int = 2
    occupancy: int = 1000
    kernel_bandwidth: int = 900
    copy_bandwidth: int = 20

    @property
    def host_step_ns(self) -> int:
        """Fixed host work of one step: C and F together (ns)."""
        return sum(self.host_ns.values())

    @property
    def gpu_step_ns(self) -> int:
        """Fixed kernel work of one step: G (ns)."""
        return sum(self.kernel_ns.values())

    def host_work_ns(self, name: str, units: int) -> int:
        """Host time of the step `name` over `units` request rows (ns)."""
        return self.host_ns.get(name, 0) + self.host_ns_per_row.get(name, 0) * units

    def copy_work_ns(self, to_device: bool, share: tuple[int, int], pageable: bool) -> int:
        """Device time of part share[0] of share[1] of a step's input or output copies (ns)."""
        part, parts = share
        total = self.h2d_ns if to_device else self.d2h_ns
        work_ns = total * (part + 1) // parts - total * part // parts
        return work_ns * self.pageable_factor if pageable else work_ns

    def rows_work_ns(self, rows: int, share: tuple[int, int]) -> int:
        """Device time of part share[0] of share[1] of a copy of so many KV blocks (ns)."""
        part, parts = share
        total = self.kv_block_ns * rows
        return total * (part + 1) // parts - total * part // parts

    def kernel_work_ns(self, family: str, share: tuple[int, int], tokens: int) -> int:
        """Device time of part share[0] of share[1] of a family's work (ns).

        Parts are cut so that together they add up to the whole, to the nanosecond.
        """
        part, parts = share
        total = self.kernel_ns.get(family, 0)
        total += self.kernel_ns_per_token * max(0, tokens - self.free_tokens)
        return total * (part + 1) // parts - total * part // parts


class Jitter:
    """Seeded factors of 1 ± `percent` %, one a call."""

    def __init__(self, percent: float, seed: int) -> None:
        self.percent = percent
        self._random = random.Random(f"jitter {seed}")

    def varied(self, duration_ns: Callable[..., int]) -> Callable[..., int]:
        """The function whose durations are jittered; without jitter the function itself."""
        if not self.percent:
            return duration_ns
        return lambda *given: self.apply(duration_ns(*given))

    def apply(self, duration_ns: int) -> int:
        """The jittered duration (ns, never negative)."""
        if not self.percent or not duration_ns:
            return duration_ns
        factor = 1 + self._random.uniform(-self.percent, self.percent) / 100
        return max(0, round(duration_ns * factor))
