"""A cost model in one short text: what a step takes, such as `C8.2-G27-F4.8-in0.3-out0.1`.

C is host work up to the last launch, G kernels, F host work after the results, `in` and `out` the
copies, `launch` the part of C that goes into the calls to the device, `beside` the part behind
them, while the device works on the step already; all in ms, what is left out is 0. So the numbers
of a trace, or of a table, fit into a URL and a command line. How a step's work divides among the
engine's nine host steps and five kernel families no such numbers tell: it is taken from the
published run.
"""

import re
from collections.abc import Mapping
from dataclasses import astuple, dataclass, replace

from engine.device.cost import BESIDE, MS, US, CostError, CostModel
from engine.device.costs import COSTS

LIKE = COSTS["published-8b"]
BEFORE = ("schedule", "allocate", "update inputs")
AFTER = ("read", "update state", "stream", "repeat")

CALLS = 12
"""Launches and copy calls of a step of the engine's loop, and `EVENTS` records and waits."""
UNDER_KERNELS = 5
"""So many of the calls come behind that of the first layer, when the device is at work."""
EVENTS = 6

MOST_MS = 60_000
DECIMALS = 4
NAMES = ("C", "G", "F", "in", "out", "launch", "beside")
NUMBER = r"([0-9]{1,5}(?:\.[0-9]{1,6})?)"
TEXT = re.compile(
    rf"C{NUMBER}-G{NUMBER}-F{NUMBER}(?:-in{NUMBER})?(?:-out{NUMBER})?(?:-launch{NUMBER})?"
    rf"(?:-beside{NUMBER})?"
)


@dataclass(frozen=True)
class StepTimes:
    """What a mean step takes, in ms: see the names at the top of this file."""

    prepare: float
    compute: float
    finish: float
    copy_in: float = 0.0
    copy_out: float = 0.0
    launch: float = 0.0
    beside: float = 0.0

    def __str__(self) -> str:
        """The text that `parse_times` reads; what is 0 behind F is left out."""
        texts = [f"{value:.{DECIMALS}f}".rstrip("0").rstrip(".") for value in astuple(self)]
        pairs = zip(NAMES, texts, strict=True)
        return "-".join(f"{n}{text}" for n, text in pairs if n in NAMES[:3] or text != "0")


def parse_times(text: str) -> StepTimes:
    """The times in a text. Raises CostError with one sentence for any other text, for more than
    a minute, and for a step without kernels."""
    match = TEXT.fullmatch(text)
    numbers = [float(number or 0) for number in match.groups()] if match else []
    if (
        not numbers
        or max(numbers) > MOST_MS
        or numbers[1] == 0
        or round(sum(numbers[5:]), 6) > numbers[0]
    ):
        raise CostError(
            f"no cost model {text[:60]!r}: name one of {', '.join(COSTS)}, or write the times of a "
            "step in ms as C8.2-G27-F4.8-in0.3-out0.1 (G above 0, launch and beside at most C)"
        )
    return StepTimes(*numbers)


def cost_named(text: str) -> CostModel:
    """A preset by its name, or the cost model that the times of a step stand for. Opens no file.
    Raises CostError."""
    return COSTS[text] if text in COSTS else cost_of(parse_times(text))


def cost_of(times: StepTimes) -> CostModel:
    """The cost model under which a plain step of the loop takes these times."""
    call_ns = round(times.launch * MS / CALLS) or min(5 * US, round(times.prepare * MS / 400))
    event_ns = min(US, call_ns // 5)
    calls_ns = CALLS * call_ns + EVENTS * event_ns
    beside_ns = round(times.beside * MS)
    before_ns = max(0, round(times.prepare * MS) - calls_ns - beside_ns)
    host = _shared(BEFORE, before_ns) | _shared(AFTER, round(times.finish * MS))
    compute_ns = round(times.compute * MS)
    return replace(
        LIKE,
        name=str(times),
        about=f"A step of {times.prepare:g} ms of host work before the last launch, "
        f"{times.compute:g} ms of kernels and {times.finish:g} ms of host work after the results.",
        host_ns=host | ({BESIDE: beside_ns} if beside_ns else {}),
        host_ns_per_row={
            name: round(ns * sum(host.values()) / LIKE.host_step_ns)
            for name, ns in LIKE.host_ns_per_row.items()
        },
        kernel_ns=_divided(LIKE.kernel_ns, compute_ns),
        h2d_ns=round(times.copy_in * MS),
        d2h_ns=round(times.copy_out * MS),
        kv_block_ns=round(LIKE.kv_block_ns * compute_ns / LIKE.gpu_step_ns),
        launch_ns=call_ns,
        event_ns=event_ns,
    )


def times_in(cost: CostModel) -> StepTimes:
    """What a plain step of the loop takes under a cost model, for a request a row none more: what
    `cost_of` makes of these times takes as long."""
    launch, beside = CALLS * cost.launch_ns, cost.host_ns.get(BESIDE, 0)
    before, after = (sum(cost.host_ns.get(name, 0) for name in names) for names in (BEFORE, AFTER))
    return StepTimes(
        prepare=(before + launch + EVENTS * cost.event_ns + beside) / MS,
        compute=cost.gpu_step_ns / MS,
        finish=after / MS,
        copy_in=cost.h2d_ns / MS,
        copy_out=cost.d2h_ns / MS,
        launch=launch / MS,
        beside=beside / MS,
    )


def _shared(names: tuple[str, ...], total_ns: int) -> dict[str, int]:
    return _divided({name: LIKE.host_ns[name] for name in names}, total_ns)


def _divided(like: Mapping[str, int], total_ns: int) -> dict[str, int]:
    """`total_ns` in the proportions of `like`, to the ns."""
    whole, passed, parts = sum(like.values()), 0, {}
    for name, ns in like.items():
        parts[name] = total_ns * (passed + ns) // whole - total_ns * passed // whole
        passed += ns
    return parts
