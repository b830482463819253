"""How much of the idle time nobody can explain: in runs of every mode, and in real files.

A real file is complete where at most 1 in 100 device operations lacks its launch and at most 1 in
100 launches lacks its operation (the edges of a window cut single pairs), and where its source
does not say that parts were cut out. The files are those of `FOLDER`, and no part of the
repository.

OVERLAP_LAB_PUBLIC_TRACES=FOLDER python -m tests.traces.cannot_tell
                                         writes the second table of docs/gap-causes.md
"""

import os
from dataclasses import dataclass
from pathlib import Path

from engine.modes.table import MODES
from tests.traces.gap_causes import DOCUMENT, nameless_trace, write_table
from traces import Trace, TraceError, find_gaps, gaps_by_cause, open_trace
from traces.gap import CANNOT_TELL, UNTRACED
from traces.schema import NONE

BESIDE = Path(__file__).parents[3] / "shared" / "public_traces"
FOLDER = Path(os.environ.get("OVERLAP_LAB_PUBLIC_TRACES", BESIDE))
CUT_OUT = ("sglang_Qwen3-8B_decode", "timeline_analysis_sampled")
"""Their source calls the one cropped and the other sampled."""

TITLES = ("trace", "idle ms", "cannot tell", "outside any span")
MOST_UNPAIRED = 0.01
NS_PER_MS = 1e6


@dataclass(frozen=True)
class Idle:
    """Idle time in ns; how much of it has no cause, and in how much no span was open."""

    idle_ns: int = 0
    unknown_ns: int = 0
    untraced_ns: int = 0

    def __add__(self, other: "Idle") -> "Idle":
        return Idle(
            self.idle_ns + other.idle_ns,
            self.unknown_ns + other.unknown_ns,
            self.untraced_ns + other.untraced_ns,
        )

    @property
    def unknown(self) -> float:
        """Share of the idle time that nobody can explain, 0 to 1."""
        return self.unknown_ns / max(1, self.idle_ns)

    def cells(self) -> str:
        """The figures as the last cells of a row."""
        untraced = self.untraced_ns / max(1, self.idle_ns)
        return f"{self.idle_ns / NS_PER_MS:,.3f} | {self.unknown:.2%} | {untraced:.1%} |"


def idle_of(trace: Trace) -> Idle:
    """The idle time of one trace, edges included."""
    causes = gaps_by_cause(find_gaps(trace))
    unknown = sum(ns for cause, ns in causes.items() if cause.startswith(CANNOT_TELL))
    return Idle(sum(causes.values()), unknown, causes.get(UNTRACED, 0))


def of_all_modes() -> Idle:
    """The sum over a run of every mode, each read back from a file that does not name it."""
    return sum((idle_of(nameless_trace(mode)) for mode in MODES.values()), Idle())


def is_complete(name: str, trace: Trace) -> bool:
    """Whether the trace records what its idle time can be explained from."""
    work, launches = trace.gpu_spans(), trace.flows[trace.flows["kind"] == "launch"]
    host = trace.host_spans()
    calls = host[(host["kind"] == "launch") & (host["correlation"] != NONE)]
    if work.empty or any(word in name for word in CUT_OUT):
        return False
    unlaunched = 1 - work.index.isin(launches["dst"]).mean()
    unanswered = 1 - calls.index.isin(launches["src"]).mean() if len(calls) else 1.0
    return bool(max(unlaunched, unanswered) <= MOST_UNPAIRED)


def of_public_traces() -> dict[str, Idle]:
    """Those of the complete files, by name, the idlest first."""
    found = {}
    for path in sorted(FOLDER.iterdir()) if FOLDER.is_dir() else []:
        try:
            trace = open_trace(path)
        except TraceError:  # no trace, or one that only its vendor's tool reads
            continue
        if is_complete(path.name, trace):
            found[path.name.split(".")[0]] = idle_of(trace)
    return dict(sorted(found.items(), key=lambda item: -item[1].idle_ns))


def table(modes: Idle, files: dict[str, Idle]) -> str:
    """The whole table: all modes in one row, then each complete file, then these together."""
    head = [f"| {' | '.join(TITLES)} |", "|---" * len(TITLES) + "|"]
    rows = [f"| {len(MODES)} modes of the engine | {modes.cells()}"]
    rows += [f"| {name} | {idle.cells()}" for name, idle in files.items()]
    together = sum(files.values(), Idle()).cells()
    return "\n".join([*head, *rows, f"| these {len(files)} files together | {together}"])


def stated() -> dict[str, float]:
    """What the document says cannot be told of each row, 0 to 1."""
    _, of_second = DOCUMENT.read_text(encoding="utf-8").split(f"| {TITLES[0]} | {TITLES[1]} |")
    cells = [line.split(" | ") for line in of_second.splitlines()[2:] if line.startswith("|")]
    return {name.strip("| "): float(unknown.rstrip("%")) / 100 for name, _, unknown, _ in cells}


if __name__ == "__main__":
    write_table(table(of_all_modes(), of_public_traces()))
