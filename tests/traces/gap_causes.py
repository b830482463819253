"""Which cause the attribution names for each mode of the engine that makes a gap.

python -m tests.traces.gap_causes        runs every such mode, writes the first table of
                                         docs/gap-causes.md
"""

import re
from dataclasses import dataclass
from pathlib import Path

from engine import run
from engine.modes.mode import Mode
from engine.modes.table import MODES
from traces import Trace, find_findings, find_gaps, gaps_by_cause, open_trace, trace_bytes
from traces.gap import CANNOT_TELL
from traces.schema import ENGINE_FORMAT

DOCUMENT = Path(__file__).parents[2] / "docs" / "gap-causes.md"
TITLES = (
    "mode", "what is switched", "cause named", "its share", "next", "said by",
    "mechanism the finding names",
)  # fmt: skip
WALK, HOST = "what waited for what", "the host's own note"


def modes_with_a_gap() -> list[Mode]:
    """Those whose gap is the scene, in the order of the catalogue."""
    return [mode for mode in MODES.values() if "G" in mode.expect]


def nameless_trace(mode: Mode) -> Trace:
    """The trace file of the mode, read back, without anything that says what was run."""
    trace = run(mode.name, compute=False).trace
    trace.meta.clear()
    trace.meta["format"] = ENGINE_FORMAT
    return open_trace(trace_bytes(trace))


@dataclass(frozen=True)
class Named:
    """The causes of the gaps between kernels, their shares of that idle time, the largest first;
    who said the first, the mechanism of the costliest finding, and what nobody could tell."""

    causes: tuple[tuple[str, float], ...]
    said_by: str
    mechanism: str
    unknown: float


def named(trace: Trace) -> Named:
    """What the attribution says of a trace. Filling the pipeline and emptying it leave gaps in
    any run, and these are left out."""
    gaps = [gap for gap in find_gaps(trace) if gap.where == "middle"]
    causes = gaps_by_cause(gaps)
    idle = max(1, sum(causes.values()))
    first = next(iter(causes))
    spans = {part.span_id for gap in gaps for part in gap.parts if part.cause == first}
    notes = [trace.spans["args"][span] for span in spans if span >= 0]
    noted = any(isinstance(note, dict) and note.get("cause") == first for note in notes)
    return Named(
        tuple((cause, ns / idle) for cause, ns in causes.items()),
        HOST if noted else WALK,
        find_findings(trace, gaps)[0].mechanism,
        sum(ns for cause, ns in causes.items() if cause.startswith(CANNOT_TELL)) / idle,
    )


def row_of(mode: Mode) -> str:
    """The mode's line of the document."""
    found = named(nameless_trace(mode))
    (cause, share), *others = found.causes
    following = f"{others[0][0]} ({others[0][1]:.0%})" if others else "-"
    switched = " ".join(f"{name}={value}" for name, value in mode.toggles.items())
    fields = (
        mode.name, f"`{switched}`", cause, f"{share:.0%}", following, found.said_by,
        f"`{found.mechanism}`",
    )  # fmt: skip
    return f"| {' | '.join(fields)} |"


def table() -> str:
    """The whole table."""
    head = [f"| {' | '.join(TITLES)} |", "|---" * len(TITLES) + "|"]
    return "\n".join([*head, *(row_of(mode) for mode in modes_with_a_gap())])


def write_table(rows: str) -> None:
    """Put a table in the place of the one of the document that has the same first row."""
    head = re.escape(rows.split("\n", 1)[0])
    text = DOCUMENT.read_text(encoding="utf-8")
    DOCUMENT.write_text(re.sub(rf"{head}(?:\n\|.*)*", lambda _: rows, text), encoding="utf-8")


if __name__ == "__main__":
    write_table(table())
