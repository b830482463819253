"""Which verdicts catch a mutant, over depth 1 to 4 and 1 to 4 slots.

python -m tests.engine.mutation        tries every mutant everywhere, writes docs/mutants.md
"""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import product
from pathlib import Path
from types import FrameType, ModuleType

from tqdm import tqdm

import engine.build
import engine.execution
import engine.kv.swap
import engine.loop
import engine.requests.lifecycle
import engine.scheduler
from engine import Run, configure, execute
from engine.config import RunConfig
from engine.results.verdict import GAP_POINTS, peaks_over_bound
from engine.workloads.workload import Prompt, Workload
from tests.engine.equivalent_mutants import EQUIVALENT
from tests.engine.mutants import Mutant, mutants

DOCUMENT = Path(__file__).parents[2] / "docs" / "mutants.md"
WORK = Workload(
    batch=3, max_batched_tokens=24, block_size=8, kv_blocks=60, count=6,
    shortest=4, longest=12, spread=2, near_end=60,
)  # fmt: skip
RULED = replace(WORK, grammar="json", presence=1.0)
TIGHT = Workload(
    batch=3, max_batched_tokens=4, block_size=2, kv_blocks=34,
    requests=(
        Prompt("Mara the baker", 16),
        Prompt("Otto the fisher", 18, cancel_step=18),
        Prompt("Pia the pilot un", 20),
        Prompt("Ivan", 16),
    ),
    admission="on-demand", preemption="swap",
)  # fmt: skip
"""One request is swapped out and its blocks are soon written by others; it comes back into the
blocks of a request whose client hangs up."""

WAYS: dict[str, tuple[dict[str, str], Workload]] = {
    "": ({}, WORK),
    "carry through the host": ({"carry": "host"}, WORK),
    "grammar and penalties": ({}, RULED),
    "stale grammar and penalties": ({"grammar": "stale", "penalties": "stale"}, RULED),
    "two graphs at once": ({"graphs": "private", "graph_concurrency": "at-once"}, WORK),
    "temporary outputs": ({"output_memory": "temporary"}, WORK),
    "swap": ({}, TIGHT),
}
"""Engines that go different ways through the loop: toggles and workload. All are correct but the
stale one: only where sampling waits for nothing are the masks of several batches in flight."""


@dataclass(frozen=True)
class Cell:
    """One engine."""

    depth: int
    slots: int
    way: str = ""

    def __str__(self) -> str:
        return f"depth {self.depth}, slots {self.slots}" + (f", {self.way}" if self.way else "")

    def config(self) -> RunConfig:
        """A small run in which requests come and go, with copies slow enough to be overtaken."""
        toggles, workload = WAYS[self.way]
        size = {"depth": self.depth, "device_slots": self.slots, "host_slots": self.slots}
        return configure(set={**size, **toggles}, workload=workload, cost="slow-copies", seed=2)


CELLS = (
    *(Cell(depth, slots) for depth, slots in product(range(1, 5), range(1, 5))),
    *(
        Cell(depth, slots, way)
        for way in WAYS
        for depth, slots in ((2, 1), (2, 2), (3, 2), (4, 4))
        if way
    ),
)

PLACES = {
    engine.loop: (engine.execution, "Loop"),
    engine.kv.swap: (engine.build, "make_swapper"),
    engine.requests.lifecycle: (engine.scheduler, "Lifecycle"),
}
"""Where what a module defines is taken from when an engine is put together."""


@contextmanager
def in_place(mutant: Mutant) -> Iterator[None]:
    """Runs use the mutant instead of what it was made from."""
    holder, name = PLACES[mutant.module]
    original = getattr(holder, name)
    setattr(holder, name, mutant.compiled()[name])
    try:
        yield
    finally:
        setattr(holder, name, original)


@lru_cache(maxsize=len(CELLS))
def unchanged(cell: Cell) -> Run:
    """The same run by the engine as it is."""
    return execute(cell.config())


def letters_in(mutant: Mutant, cell: Cell) -> str:
    """The verdicts that tell the mutant from the engine as it is: a part of "THGIME".

    G is a cause of idle time that takes a larger share than without the change, E an exception.
    """
    reference = unchanged(cell)
    try:
        with in_place(mutant):
            result = execute(cell.config())
    except Exception:  # noqa: BLE001 - whatever it raises, it is caught
        return "E"
    seen = _verdicts(result, reference) - _verdicts(reference, reference)
    return "".join(letter for letter in "THGIM" if letter in seen)


def _verdicts(result: Run, reference: Run) -> set[str]:
    diff = result.token_diff
    seen = {
        "T": diff is not None and diff.count,
        "H": result.hazards,
        "G": _idles_more(result, reference),
        "I": result.invariants,
        "M": set(peaks_over_bound(result)) - set(peaks_over_bound(reference)),
    }
    return {letter for letter, shown in seen.items() if shown}


def _idles_more(result: Run, reference: Run) -> bool:
    mine, other = result.figures, reference.figures
    return any(
        ms / mine.wall_ms - other.gaps.get(cause, 0.0) / other.wall_ms >= GAP_POINTS
        for cause, ms in mine.gaps.items()
    )


@lru_cache(maxsize=1)
def reached() -> dict[ModuleType, set[int]]:
    """The lines of each module that correct engines come to: what else it says is a toggle's."""
    lines: dict[ModuleType, set[int]] = {module: set() for module in PLACES}
    lines_in = {module.__file__: found for module, found in lines.items()}

    def trace(frame: FrameType, event: str, _: object) -> Callable[..., object] | None:
        found = lines_in.get(frame.f_code.co_filename)
        if found is None:
            return None
        found.add(frame.f_lineno)
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        for cell in CELLS:
            execute(cell.config())
    finally:
        sys.settrace(before)
    return lines


def live_mutants() -> list[Mutant]:
    """Those that change a line of a correct engine."""
    return [mutant for mutant in mutants() if mutant.line in reached()[mutant.module]]


def row_of(name: str, caught: dict[Cell, str]) -> str:
    """One line of the document, from the verdicts in each cell that saw any."""
    if not caught:
        return f"| {name} | nothing | 0 | {EQUIVALENT.get(name, '?')} |"
    union = {letter for letters in caught.values() for letter in letters}
    verdicts = " ".join(letter for letter in "THGIME" if letter in union)
    clearest = max(caught, key=lambda cell: len(caught[cell]))
    shown = f"{' '.join(caught[clearest])} at {clearest}"
    return f"| {name} | {verdicts} | {len(caught)} | {shown} |"


def write(rows: list[str]) -> None:
    """Put the rows into the document, below its text."""
    text = DOCUMENT.read_text(encoding="utf-8").split("\n| ")[0].rstrip()
    titles = f"| mutant | caught by | cells of {len(CELLS)} | for instance, or why not |"
    table = "\n".join([titles, "|---|---|---|---|", *rows])
    DOCUMENT.write_text(f"{text}\n\n{table}\n", encoding="utf-8")


def main() -> None:
    """Try everything and write the document."""
    rows = []
    for mutant in tqdm(live_mutants()):
        seen = {cell: letters_in(mutant, cell) for cell in CELLS}
        rows.append(
            row_of(mutant.name, {cell: letters for cell, letters in seen.items() if letters})
        )
    write(rows)


if __name__ == "__main__":
    main()
