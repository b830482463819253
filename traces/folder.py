"""Every trace in a folder: one line a file, the longest idle one first.

Here each file is a recording of its own. Files of one run, such as its ranks, are named one by
one on the command line, and are then read on one clock (`traces.readers.merge`).
"""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from tqdm import tqdm

from traces.arguments import one_line
from traces.cluster import done
from traces.readers.reader import open_trace
from traces.schema import NoTraceError, TraceError
from traces.summary import summarize
from traces.units import percent

TRACE_ENDINGS = frozenset(
    ".json .jsonl .gz .zip .csv .tsv .sqlite .sqlite3 .db .pftrace .perfetto-trace .perfetto .pb "
    ".trace .nsys-rep".split()
)
"""A file with one of these was taken for a trace, whatever is in it."""

OTHERS_NAMED = 3

HEAD = f"{'idle ms':>14} {'active':>7} {'span ms':>14} {'steps':>7}  file: longest cause"

OF_SEVERAL = "Of a file with several GPUs: idle ms of all together, and how active the idlest was."


@dataclass(frozen=True)
class Inspected:
    """One file, by its name in the folder: its figures, or why it cannot be read. `is_other`: it
    is none that anybody would take for a trace, such as source code."""

    file: str
    figures: dict[str, Any] | None
    refusal: str = ""
    is_other: bool = False

    @property
    def idle_ms(self) -> float:
        """Idle time of all its devices."""
        return float(sum(device["observed"]["idle_ms"] for device in self.devices))

    @property
    def active(self) -> float | None:
        """The active share of its least active device, 0 to 1; None where it has no device."""
        return min((float(device["observed"]["active"]) for device in self.devices), default=None)

    @property
    def devices(self) -> list[dict[str, Any]]:
        """Its devices, as `summarize` tells of them."""
        return self.figures["devices"] if self.figures else []


def inspect_folder(
    folder: str, max_bytes: int, scheduler: str | None, jobs: int | None
) -> list[Inspected]:
    """The files in a folder and below it but for hidden ones: those that can be read by their
    idle time, the longest first, then the others by name.

    On a cluster the workers read the files, so they must see the folder under the same path.
    Raises TraceError where there are none, and as `traces.cluster.done` does.
    """
    root = Path(folder).resolve()
    names = sorted(_files(root))
    if not names:
        raise TraceError(f"{folder} holds no files; name a folder with traces.")
    work = partial(inspect_file, str(root), max_bytes=max_bytes)
    results = tqdm(
        done(work, names, scheduler, jobs), total=len(names), unit="file", leave=False, disable=None
    )
    found = [
        result.result or Inspected(names[result.number], None, result.lost) for result in results
    ]
    return sorted(found, key=lambda one: (one.figures is None, -one.idle_ms, one.file))


def inspect_file(folder: str, name: str, *, max_bytes: int) -> Inspected:
    """One file of a folder."""
    try:
        trace = open_trace(os.path.join(folder, name), os.path.basename(name), max_bytes)
        return Inspected(name, summarize(trace))
    except TraceError as error:
        is_other = isinstance(error, NoTraceError) and _ending(name) not in TRACE_ENDINGS
        return Inspected(name, None, str(error), is_other)


def as_json(found: list[Inspected]) -> dict[str, Any]:
    """`files` and `refused`, in the order in which they were found."""
    return {
        "files": [{"file": one.file, **one.figures} for one in found if one.figures is not None],
        "refused": [
            {"file": one.file, "reason": one.refusal} for one in found if one.figures is None
        ],
    }


def as_text(found: list[Inspected]) -> str:
    """A line for each file that could be read, and one on the base where a file has several GPUs;
    nothing where there is none."""
    read = [one for one in found if one.figures is not None]
    several = any(len(one.devices) > 1 for one in read)
    return "\n".join([HEAD, *map(_line, read), *([OF_SEVERAL] if several else [])]) if read else ""


def others_told(found: list[Inspected]) -> str:
    """The files that nobody would take for traces, in one line; empty where there are none."""
    names = [one_line(one.file) for one in found if one.is_other]
    if not names:
        return ""
    more = ", …" if len(names) > OTHERS_NAMED else ""
    one, is_no = ("file", "is no trace") if len(names) == 1 else ("files", "are no traces")
    shown = ", ".join(names[:OTHERS_NAMED])
    return f"{len(names):,} other {one} (text, code and the like) {is_no}: {shown}{more}"


def _ending(name: str) -> str:
    return Path(name).suffix.lower()


def _line(one: Inspected) -> str:
    figures = one.figures or {}
    active = "no GPU" if one.active is None else f"{percent(one.active)}"
    cause = max(figures["gaps"], key=figures["gaps"].__getitem__, default="")
    return (
        f"{one.idle_ms:14,.3f} {active:>7} {figures['span_ms']:14,.3f} "
        f"{figures['steps']['count']:7,}  {one_line(one.file)}"
        f"{': ' if cause else ''}{one_line(cause)}"
    )


def _files(root: Path) -> Iterator[str]:
    """Files by their path from the root; links to folders are not followed."""
    for place, folders, files in os.walk(root):
        folders[:] = [name for name in folders if not name.startswith(".")]
        for name in files:
            path = Path(place, name)
            if not name.startswith(".") and path.is_file():
                yield str(path.relative_to(root))
