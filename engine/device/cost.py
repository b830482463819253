"""The time model of the virtual device: how long each piece of work takes.

Everything is integer nanoseconds when nothing else runs. A cost model is plain data:
it can be written as a small JSON file and read back. Jitter multiplies durations by
seeded random factors, so that a race can be tried under many timings.

Presets (figures' sources): `published-8b` is calibrated on the 24 % idle share of the
published run of an 8B model at batch 32 on one H200 (sync 300.6 s with the GPU active
76.0 %); that article gives no times per step, so their absolute size is ours.
`worked-2-6` and `worked-8-6` are two textbook pipelines: independent batches, P ms of
host work, G ms of device work, nothing else.
"""

import json
import os
import random
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path

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

HOST_EXTRA = ("mask",)
"""Host work that only some batches need: masks for grammars and penalties."""

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

    def apply(self, duration_ns: int) -> int:
        """The jittered duration (ns, never negative)."""
        if not self.percent or not duration_ns:
            return duration_ns
        factor = 1 + self._random.uniform(-self.percent, self.percent) / 100
        return max(0, round(duration_ns * factor))


def load_cost(source: str) -> CostModel:
    """A preset by name, or a JSON file as written by `dump_cost`.

    Raises CostError with one sentence when it is neither or holds unusable numbers.
    """
    if source in PRESETS:
        return PRESETS[source]
    if not os.path.isfile(source):
        known = ", ".join(PRESETS)
        raise CostError(f"no cost model {source!r}: use one of {known}, or a JSON file")
    try:
        document = json.loads(Path(source).read_text(encoding="utf-8-sig"))
    except (OSError, ValueError, RecursionError) as error:
        raise CostError(f"{source}: not a readable JSON file ({error})") from None
    return cost_from_dict(document, Path(source).stem)


def dump_cost(cost: CostModel) -> str:
    """The cost model as JSON text."""
    return json.dumps(asdict(cost), indent=2) + "\n"


def cost_from_dict(document: object, name: str = "custom") -> CostModel:
    """A cost model from decoded JSON. Raises CostError naming the first wrong entry."""
    if not isinstance(document, dict):
        raise CostError("a cost model is a JSON object with entries such as host_ns and kernel_ns")
    known = {item.name: item for item in fields(CostModel)}
    for key, value in document.items():
        if key not in known:
            raise CostError(f"unknown cost entry {key!r}; known are {', '.join(known)}")
        _check_entry(key, value, getattr(CostModel(), key))
    return replace(CostModel(name=name), **document)


def _check_entry(key: str, value: object, example: object) -> None:
    if isinstance(example, str):
        if not isinstance(value, str):
            raise CostError(f"cost entry {key!r} must be text")
        return
    if isinstance(example, dict):
        allowed = KERNEL_FAMILIES if key == "kernel_ns" else HOST_STEPS + HOST_EXTRA
        if not isinstance(value, dict):
            raise CostError(f"cost entry {key!r} must be an object of names and nanoseconds")
        for name, duration in value.items():
            if name not in allowed:
                raise CostError(f"{key!r} knows {', '.join(allowed)}, not {name!r}")
            _check_number(f"{key}.{name}", duration)
        return
    _check_number(key, value, *LIMITS.get(key, (0, 10**12)))


def _check_number(key: str, value: object, low: int = 0, high: int = 10**12) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise CostError(f"cost entry {key!r} must be a whole number from {low} to {high:,}")


def _worked(name: str, prepare_ms: int, compute_ms: int) -> CostModel:
    return CostModel(
        name=name,
        about=f"A textbook pipeline: {prepare_ms} ms of host work, {compute_ms} ms of device "
        "work a batch, independent batches, no copies, no launch overhead.",
        workload="independent",
        host_ns={
            "schedule": prepare_ms * MS // 2,
            "allocate": prepare_ms * MS // 4,
            "update inputs": prepare_ms * MS - prepare_ms * MS // 2 - prepare_ms * MS // 4,
        },
        kernel_ns={"layer": compute_ms * MS},
    )


def _both_ways(name: str, about: str, copy_engines: int) -> CostModel:
    return CostModel(
        name=name,
        about=f"Copies both ways that take nearly as long as a forward pass, and {about}.",
        host_ns={key: value // 2 for key, value in _PUBLISHED_HOST.items()},
        kernel_ns={key: value // 2 for key, value in _PUBLISHED_KERNELS.items()},
        h2d_ns=6_000 * US,
        d2h_ns=6_000 * US,
        launch_ns=5 * US,
        event_ns=1 * US,
        alloc_ns=900 * US,
        copy_engines=copy_engines,
    )


_PUBLISHED_HOST = {
    "schedule": 1_500 * US,
    "allocate": 1_200 * US,
    "update inputs": 950 * US,
    "read": 150 * US,
    "update state": 3_260 * US,
    "stream": 1_220 * US,
    "repeat": 150 * US,
}
_PUBLISHED_KERNELS = {
    "carry": 50 * US,
    "embed": 150 * US,
    "layer": 27_000 * US,
    "head": 600 * US,
    "sample": 200 * US,
}

PRESETS: dict[str, CostModel] = {
    cost.name: cost
    for cost in (
        CostModel(
            name="published-8b",
            about="An 8B model at batch 32 on one H200: without overlap the GPU idles 24 % "
            "of the time (calibrated on that share; times a step are ours).",
            host_ns=_PUBLISHED_HOST,
            host_ns_per_row={"mask": 50 * US},
            kernel_ns=_PUBLISHED_KERNELS,
            h2d_ns=300 * US,
            d2h_ns=100 * US,
            kv_block_ns=400 * US,
            launch_ns=5 * US,
            event_ns=1 * US,
            alloc_ns=800 * US,
        ),
        _worked("worked-2-6", 2, 6),
        _worked("worked-8-6", 8, 6),
        CostModel(
            name="cpu-bound",
            about="A small model whose host is the bottleneck: more host work than device work "
            "a step, so that async still leaves the GPU waiting.",
            host_ns={key: value // 2 for key, value in _PUBLISHED_HOST.items()},
            host_ns_per_row={"mask": 25 * US},
            kernel_ns={key: value // 10 for key, value in _PUBLISHED_KERNELS.items()},
            h2d_ns=60 * US,
            d2h_ns=30 * US,
            kv_block_ns=100 * US,
            launch_ns=6 * US,
            event_ns=1 * US,
            alloc_ns=500 * US,
        ),
        CostModel(
            name="small-gpu",
            about="A slow device with a narrow bus: long kernels, and copies that take as long "
            "as the host's preparation.",
            host_ns={key: value // 2 for key, value in _PUBLISHED_HOST.items()},
            host_ns_per_row={"mask": 25 * US},
            kernel_ns=_PUBLISHED_KERNELS,
            kernel_ns_per_token=40 * US,
            free_tokens=32,
            h2d_ns=6_000 * US,
            d2h_ns=2_000 * US,
            kv_block_ns=1_500 * US,
            launch_ns=8 * US,
            event_ns=1 * US,
            alloc_ns=900 * US,
        ),
        CostModel(
            name="slow-copies",
            about="A GPU behind a narrow, busy link: input copies outlast the host's preparation "
            "and the output copy outlasts a forward pass, so that hidden races show.",
            host_ns={key: value // 2 for key, value in _PUBLISHED_HOST.items()},
            host_ns_per_row={"mask": 25 * US},
            kernel_ns={key: value // 2 for key, value in _PUBLISHED_KERNELS.items()},
            h2d_ns=12_000 * US,
            d2h_ns=36_000 * US,
            kv_block_ns=3_000 * US,
            launch_ns=5 * US,
            event_ns=1 * US,
            alloc_ns=900 * US,
        ),
        _both_ways("two-copy-engines", "a copy engine for each direction", 2),
        _both_ways("one-copy-engine", "one copy engine for both directions", 1),
    )
}
