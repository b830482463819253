"""What the Play page shows in tables: the program, the words, and the buffers of the slots."""

from collections.abc import Mapping

from engine.oplog import NONE
from engine.play import OPERATIONS, Position
from engine.play.batch import expected_tokens
from engine.play.level import RESOURCES
from engine.play.memory import BLOCK, INPUTS, SOURCE, TOKEN
from engine.play.sentences import ROWS, SENTENCES, word
from engine.recording.memory_at import BufferState
from lab.catalogue import t
from lab.escape import for_html
from lab.picture.hover import edge_text, resource_text
from lab.picture.palette import ALARM_TEXT, slot_letter
from lab.play.words import answer_text, short
from lab.stepper.html import cell, side_by_side, slot_head, table
from lab.timeline.tokens import CSS
from lab.units import exact_ms

KV = "kv blocks"


def program_html(position: Position) -> str:
    """All operations, the latest first, with what came of each and the hazards that it made."""
    hazards: dict[int, list[str]] = {}
    for hazard, place in zip(position.hazards, position.arisen, strict=True):
        said = t(
            "host.hazard_here", kind=hazard.kind, resource=resource_text(hazard.resource),
            edge=edge_text(hazard.missing_edge),
        )  # fmt: skip
        hazards.setdefault(place, []).append(said)
    lines = []
    for place, step in reversed([*enumerate(position.steps)]):
        if step.refused:
            continue
        name = t(f"host.do_{OPERATIONS[step.key].name}")
        given = f" ({t('host.program_given')})" if step.given else ""
        lines.append(
            [str(place + 1), step.key, name + given,
             _answer(answer_text(position, place), hazards.get(place, []))]
        )  # fmt: skip
    heads = ["", *(t(f"host.program_{column}") for column in ("key", "what", "answer"))]
    return table(t("host.program"), heads, lines)


def _answer(text: str, hazards: list[str]) -> str:
    alarms = "".join(
        f'<br><b style="color:{ALARM_TEXT}">{for_html(hazard)}</b>' for hazard in hazards
    )
    return f'<td style="white-space:normal">{for_html(text)}{alarms}</td>'


def memory_html(position: Position) -> str:
    """Words and buffers, under each other."""
    title = for_html(t("host.buffers", now=short(position.now_ns)))
    buffers = side_by_side(buffers_html(position))
    return f"<div>{words_html(position)}<p><b>{title}</b></p>{buffers}</div>"


def words_html(position: Position) -> str:
    """For each batch what the host read and what would be right, wrong words marked."""
    lines = []
    for batch in position.batches:
        truth = expected_tokens(position.level, batch.number)
        wrong = position.wrong.get(batch.number, ())
        said = [
            f'<b class="wrong">⟨{for_html(word(token))}⟩</b>' if row in wrong else word(token)
            for row, token in enumerate(batch.tokens)
        ]
        read = ", ".join(said) or for_html(t("host.words_unread"))
        right = ", ".join(word(token) for token in truth)
        lines.append([str(batch.number), f"<td>{read}</td>", right])
    heads = [t(f"host.words_{column}") for column in ("batch", "read", "right")]
    return f'{CSS}<div class="texts">{table(t("host.words"), heads, lines)}</div>'


def buffers_html(position: Position) -> list[str]:
    """A table for each resource, a column a slot; then the KV blocks, where they move."""
    tables = [_resource(position, name) for name in RESOURCES]
    if position.level.resident is not None:
        tables.append(_blocks(position))
    return tables


def _resource(position: Position, resource: str) -> str:
    states = position.buffers(resource)
    shared = resource in position.level.shared
    every = "+".join(map(slot_letter, range(position.level.slots)))
    heads = [
        slot_head(every if shared else slot_letter(state.info.slot), state.info.slot)
        for state in states
    ]
    lines = [[str(row), *(_cell(position, state, row) for state in states)] for row in range(ROWS)]
    return table(resource_text(resource), [t("host.buffer_row"), *heads], lines)


def _cell(position: Position, state: BufferState, row: int) -> str:
    held, writer = state.cells.get(row), state.pending.get(row)
    title = t("stepper.being_written", name=writer.name) if writer is not None else ""
    if held is None:
        return cell(word(0), "", title, writer is not None)
    if state.info.label == INPUTS:
        text = _input(held.values, position.level.resident is not None)
    else:
        text = word(int(held.values))
    op = position.log.ops[held.op]
    title = t("stepper.written", name=op.name, ms=exact_ms(held.at_ns)) + " " + title
    return cell(text, "" if op.step == NONE else str(op.step), title, writer is not None)


def _input(values: Mapping[int, int], with_block: bool) -> str:
    """A row of the inputs: its token or placeholder, and its KV block where those move."""
    text = t("host.carry_word") if values[SOURCE] else word(int(values[TOKEN]))
    return t("host.from_block", word=text, block=values[BLOCK]) if with_block else text


def _blocks(position: Position) -> str:
    """The KV blocks: the sentence that each holds now."""
    (state,) = position.buffers(KV)
    first = position.level.groups_on_device[0] * ROWS
    lines = []
    for block in range(state.info.rows):
        held = state.cells.get(block)
        tokens = SENTENCES[first + block] if held is None else tuple(map(int, held.values))
        note = "" if held is None else str(position.log.ops[held.op].step)
        text = " ".join(map(word, tokens))
        lines.append([str(block), cell(text, note, "", block in state.pending)])
    return table(t("host.buffer_kv"), [t("host.buffer_block"), t("host.buffer_holds")], lines)
