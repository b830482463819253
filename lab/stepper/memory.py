"""What the stepper shows of memory: the buffers of every slot by row, and the KV blocks.

Plain functions from the state of buffers to HTML. A row that a running copy or kernel has still
to write is hatched; a small raised number is the batch that wrote a row.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from engine.model.tokenizer import VOCAB
from engine.oplog import NONE, Op
from engine.recording.history import Blocks, BlockState
from engine.recording.memory_at import BufferState
from lab.catalogue import t
from lab.escape import for_html
from lab.picture.hover import resource_text
from lab.picture.palette import slot_letter
from lab.stepper.html import cell, table
from lab.units import exact_ms

IO = ("host inputs", "device inputs", "device outputs", "host outputs")
KV = "kv blocks"
MOST_ROWS = 12
MOST_NUMBERS = 6
"""Numbers of a row that are written out."""

SPACE = "␣"

AS_TEXT = ("tokens", "out")
"""Tensors of one token id a row, shown as the letters they stand for."""


def buffers_html(states: Sequence[BufferState], ops: Sequence[Op]) -> list[str]:
    """A table for each pair of resource and slot: a line a row, a column a tensor."""
    groups: dict[tuple[str, int], list[BufferState]] = {}
    for state in states:
        groups.setdefault((state.info.resource, state.info.slot), []).append(state)
    return [_slot_table(*key, group, ops) for key, group in groups.items()]


def _slot_table(resource: str, slot: int, group: Sequence[BufferState], ops: Sequence[Op]) -> str:
    used = max(max([*state.cells, *state.pending], default=0) + 1 for state in group)
    rows = _shown(used, [row for state in group for row in state.pending])
    lines = [[str(row), *(_cell(state, row, ops) for state in group)] for row in rows]
    title = t("stepper.buffer", resource=resource_text(resource), slot=slot_letter(max(0, slot)))
    if used > MOST_ROWS:
        title += t("stepper.some_rows", first=rows[0], last=rows[-1], count=used)
    return table(title, [t("stepper.row"), *(state.info.label for state in group)], lines)


def _shown(used: int, pending: Sequence[int]) -> range:
    """The rows that there is room for: where something is being written, else the first ones."""
    first = max(0, min(min(pending, default=0) - MOST_ROWS // 2, used - MOST_ROWS))
    return range(first, min(used, first + MOST_ROWS))


def _cell(state: BufferState, row: int, ops: Sequence[Op]) -> str:
    if row >= state.info.rows:
        return cell("")
    held, writer = state.cells.get(row), state.pending.get(row)
    pending = writer is not None
    title = t("stepper.being_written", name=_name(writer)) if writer is not None else ""
    if held is None:
        return cell("·", "", title, pending)
    text = numbers_text(held.values, state.info.label in AS_TEXT)
    if held.op == NONE:
        return cell(text, "", title, pending)
    written = t("stepper.written", name=_name(ops[held.op]), ms=exact_ms(held.at_ns))
    note = "" if ops[held.op].step == NONE else str(ops[held.op].step)
    return cell(text, note, " ".join(filter(None, (written, title))), pending)


def _name(op: Op) -> str:
    return op.name if op.step == NONE else t("stepper.op", name=op.name, step=op.step)


def numbers_text(values: Any, as_letters: bool) -> str:  # noqa: ANN401 - a row of any type
    """A row's numbers as text: one token id as its letter, many numbers cut short."""
    numbers = np.atleast_1d(values).tolist()
    if as_letters and len(numbers) == 1:
        return letter(numbers[0])
    if values.dtype == np.uint64:
        return t("stepper.digest", digest=f"{numbers[0]:016x}"[:6])
    shown = " ".join(f"{n:g}" if isinstance(n, float) else str(n) for n in numbers[:MOST_NUMBERS])
    return shown + (" …" if len(numbers) > MOST_NUMBERS else "")


def letter(token: int) -> str:
    """A token id as it can be read: a byte in quotes, one that is not seen as Python writes it
    (and ␣ for a space); what is no byte, as the number it is."""
    if not 0 <= token < VOCAB:
        return str(token)
    seen = SPACE if token == ord(" ") else repr(bytes([token]))[2:-1].replace("\\\\", "\\")
    return f"“{seen}”"


def kv_html(states: Sequence[BufferState], blocks: Blocks) -> str:
    """Every block of the pool: who holds it, and whether something is writing it."""
    if not states:
        return ""
    pending: dict[int, Op] = {}
    for state in states:
        pending |= state.pending
    cells = (_block(number, blocks, pending) for number in range(states[0].info.rows))
    return f'<div class="grid">{"".join(cells)}</div>'


def _block(number: int, blocks: Blocks, pending: Mapping[int, Op]) -> str:
    state = blocks.get(number, BlockState("", frozenset()))
    looks = [] if state.holders else ["free"]
    looks += ["shared"] if len(state.holders) > 1 else []
    looks += ["pending"] if number in pending else []
    names = ", ".join(sorted(state.holders)) or t("stepper.free")
    title = t("stepper.block", number=number, holders=names, writer=state.writer or "–")
    if number in pending:
        title += " " + t("stepper.being_written", name=_name(pending[number]))
    text = f"{number} {state.writer or ('+' if state.holders else '')}"
    return f'<div class="{" ".join(looks)}" title="{for_html(title)}">{for_html(text)}</div>'
