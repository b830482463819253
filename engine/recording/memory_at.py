"""The content of buffers at an instant, and what running operations have still to write.

Who wrote what when is in the journal; which operations run, the log says. Nothing is run again.
"""

from collections.abc import Collection
from dataclasses import dataclass

from engine.oplog import BufferInfo, Op, OpKind, OpLog, row_mask
from engine.recording.instant import Instants
from engine.recording.journal import Cell, Journal


@dataclass(frozen=True, slots=True)
class BufferState:
    """A buffer at an instant: its written rows, and those that a running operation is about to
    write (`pending`, by row): a copy has moved some of its rows and not yet these."""

    info: BufferInfo
    cells: dict[int, Cell]
    pending: dict[int, Op]


def buffers_at(
    log: OpLog, journal: Journal, instants: Instants, at_ns: int, resources: Collection[str]
) -> list[BufferState]:
    """The buffers of some resources, in the order in which they were made."""
    pending = _pending(journal, instants, at_ns)
    return [
        BufferState(info, journal.cells(info.index, at_ns), pending.get(info.index, {}))
        for info in log.buffers
        if info.resource in resources
    ]


def _pending(journal: Journal, instants: Instants, at_ns: int) -> dict[int, dict[int, Op]]:
    """Rows by buffer that a running operation has still to write."""
    pending: dict[int, dict[int, Op]] = {}
    for op in instants.running_at(at_ns):
        for access in op.writes:
            rows = access.rows
            if op.kind is not OpKind.KERNEL and access.mask == row_mask(0, len(rows)):
                done, pieces = journal.pieces(access.buffer, op.seq, at_ns)
                rows = rows[len(rows) * done // pieces :] if pieces else rows
            pending.setdefault(access.buffer, {}).update(dict.fromkeys(rows, op))
    return pending
