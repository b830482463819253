"""Two traces side by side, step for step: what takes longer, and which idle time came or went.

Steps are aligned by their order. Idle time is given for a mean one of the steps that both have, so
that idle time and work add up to what the steps differ by; where either has no steps, for the whole
recording. Of several devices it is the mean one's, and so is every share.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from traces.activity import device_activity
from traces.findings import Finding, find_findings
from traces.gap import Gap, gaps_by_cause
from traces.gaps import find_gaps
from traces.observed import DeviceIdle, idle_of
from traces.schema import Trace
from traces.steps import PATTERN, Step, Steps, find_steps
from traces.units import percent, signed_ms
from traces.whatif import A_GUESS

NS_PER_MS = 1e6
WORTH_TELLING = 0.01
"""A finding whose share of the run changed by less is not named as a change."""

ROWS = 12


@dataclass(frozen=True)
class Side:
    """One trace's part of a comparison; `devices` are its idle times in the whole recording;
    `idle_ns` is a mean device's by cause, for a mean step or the run; `findings` by rule, each as
    its share of the time of all devices and the name of the span to blame most."""

    steps: Steps
    devices: tuple[DeviceIdle, ...]
    idle_ns: dict[str, float]
    findings: dict[str, tuple[float, str]]

    @property
    def active(self) -> float:
        """Active share of the time of all devices together, 0 to 1."""
        observed = sum(device.of_ns for device in self.devices)
        active = observed - sum(device.idle_ns for device in self.devices)
        return active / observed if observed else 0.0


@dataclass(frozen=True)
class Shift:
    """A finding whose share of the run (0 to 1) changed; `blamed` is the name of the span that
    explains most of the larger share, or empty."""

    rule: str
    before: float
    after: float
    blamed: str

    @property
    def fell(self) -> bool:
        """Whether the second trace loses less time to it."""
        return self.after < self.before


@dataclass(frozen=True)
class Comparison:
    """`a` is usually before and `b` after; `per_step` says what the idle times are of."""

    a: Side
    b: Side
    per_step: bool

    @property
    def has_several_devices(self) -> bool:
        """Whether either trace has, so that shares and idle times are means."""
        return max(len(self.a.devices), len(self.b.devices)) > 1

    @property
    def aligned(self) -> list[tuple[int, int]]:
        """The times of the steps that both have, in ns."""
        pairs = zip(self.a.steps.steps, self.b.steps.steps, strict=False)
        return [(one.ns, other.ns) for one, other in pairs]

    @property
    def idle(self) -> list[tuple[str, float, float]]:
        """(cause, ns in a, ns in b), the largest change first."""
        causes = dict.fromkeys([*self.a.idle_ns, *self.b.idle_ns])
        rows = [(c, self.a.idle_ns.get(c, 0), self.b.idle_ns.get(c, 0)) for c in causes]
        return sorted(rows, key=lambda row: (-abs(row[2] - row[1]), row[0]))

    @property
    def shifts(self) -> list[Shift]:
        """Findings that came, went, fell or rose, the largest change first."""
        found = []
        for rule in dict.fromkeys([*self.a.findings, *self.b.findings]):
            before, blamed_before = self.a.findings.get(rule, (0.0, ""))
            after, blamed_after = self.b.findings.get(rule, (0.0, ""))
            if abs(after - before) >= WORTH_TELLING:
                blamed = blamed_before if after < before else blamed_after
                found.append(Shift(rule, before, after, blamed))
        return sorted(found, key=lambda shift: (-abs(shift.after - shift.before), shift.rule))

    @property
    def changes(self) -> list[str]:
        """The shifts in words."""
        whole = "the GPUs' time" if self.has_several_devices else "the run"
        return [_in_words(shift, whole) for shift in self.shifts]


def compare(a: Trace, b: Trace) -> Comparison:
    """Two traces against each other; any two can be compared."""
    steps = find_steps(a), find_steps(b)
    count = min(found.count for found in steps)
    return Comparison(_side(a, steps[0], count), _side(b, steps[1], count), count > 0)


def as_json(result: Comparison) -> dict[str, Any]:
    """The comparison as JSON holds it. `active` and `gaps` are of a mean device of each trace."""
    return {
        "a": _side_json(result.a),
        "b": _side_json(result.b),
        "steps": [
            {"step": number, "a_ms": one / NS_PER_MS, "b_ms": other / NS_PER_MS}
            for number, (one, other) in enumerate(result.aligned)
        ],
        "gaps_per": "step" if result.per_step else "run",
        "gaps": [
            {
                "cause": cause,
                "a_ms": one / NS_PER_MS,
                "b_ms": other / NS_PER_MS,
                "change_ms": (other - one) / NS_PER_MS,
            }
            for cause, one, other in result.idle
        ],
        "changes": result.changes,
    }


def as_text(result: dict[str, Any]) -> str:
    """What `as_json` returned, for a terminal."""
    lines = [f"{'':10}{'A':>14}{'B':>14}"]
    several = max(len(result[side]["devices"]) for side in "ab") > 1
    together = "  of the time of all GPUs together" if several else ""
    lines.append(_row("active", "active", *(result[side]["active"] for side in "ab")) + together)
    lines += _devices(result) if several else []
    for name, key in (("steps", "steps"), ("median ms", "median_ms")):
        lines.append(_row(name, key, *(result[side][key] for side in "ab")))
    guessed = [side.upper() for side in "ab" if result[side]["steps_by"] == PATTERN]
    lines += [f"In {' and '.join(guessed)}: {A_GUESS}"] if guessed else []
    aligned = result["steps"]
    if aligned:
        change = fmean(row["b_ms"] - row["a_ms"] for row in aligned)
        idle = sum(row["change_ms"] for row in result["gaps"])
        lines += [
            f"the {len(aligned)} steps that both have take {signed_ms(change)} ms each in B,",
            f"of which {signed_ms(idle)} ms is idle time and {signed_ms(change - idle)} ms is time "
            "in which a GPU works",
        ]
    mean = ", in the mean of a trace's GPUs" if several else ""
    lines.append(f"idle ms of a {result['gaps_per']} by cause{mean}")
    lines += [
        f"{row['a_ms']:12,.3f}{row['b_ms']:12,.3f}{signed_ms(row['change_ms']):>12}  {row['cause']}"
        for row in result["gaps"][:ROWS]
    ]
    return "\n".join(lines + [f"changed  {change}" for change in result["changes"]])


def _devices(result: dict[str, Any]) -> list[str]:
    """A line for each device."""
    sides = [{one["id"]: one["active"] for one in result[side]["devices"]} for side in "ab"]
    return [
        _row(f"  GPU {device}", "active", *(side.get(device) for side in sides))
        for device in sorted({*sides[0], *sides[1]})
    ]


def _row(name: str, key: str, a: float | None, b: float | None) -> str:
    return f"{name:10}{_cell(key, a):>14}{_cell(key, b):>14}"


def _in_words(shift: Shift, whole: str) -> str:
    verb = "fell" if shift.fell else "rose"
    mostly = f", mostly {shift.blamed}" if shift.blamed else ""
    shares = f"{percent(shift.before)} to {percent(shift.after)} of {whole}"
    return f"{shift.rule} {verb}: {shares}{mostly}"


def _side(trace: Trace, steps: Steps, count: int) -> Side:
    """`count`: how many steps idle time is taken from; 0 for the whole recording."""
    gaps = find_gaps(trace)
    devices = tuple(idle_of(trace, device_activity(trace), gaps))
    idle = gaps_by_cause(_within(gaps, steps.steps[:count]) if count else gaps)
    parts = max(1, count) * max(1, len(devices))
    return Side(
        steps,
        devices,
        {cause: ns / parts if parts > 1 else ns for cause, ns in idle.items()},  # ns stay exact
        {
            finding.rule: (finding.share, _blamed(trace, finding))
            for finding in find_findings(trace, gaps)
        },
    )


def _blamed(trace: Trace, finding: Finding) -> str:
    return trace.spans["name"][finding.evidence[0].span_id] if finding.evidence else ""


def _within(gaps: list[Gap], steps: Sequence[Step]) -> list[Gap]:
    """Gaps that end within the steps: what comes before the first belongs to none."""
    begin, end = steps[0].start_ns, steps[-1].end_ns
    return [gap for gap in gaps if begin < gap.end_ns <= end]


def _side_json(side: Side) -> dict[str, Any]:
    count = side.steps.count
    return {
        "active": side.active,
        "devices": [{"id": one.device, "active": one.active} for one in side.devices],
        "steps": count,
        "steps_by": side.steps.by,
        "median_ms": side.steps.median_ns / NS_PER_MS if count else None,
        "p99_ms": side.steps.p99_ns / NS_PER_MS if count else None,
    }


def _cell(key: str, value: float | None) -> str:
    if value is None:
        return "-"
    if key == "active":
        return percent(value)
    return format(value, {"median_ms": ",.3f", "steps": ",d"}[key])
