"""A batch of a level: its requests, its slot, its events, and how far the host has got with it."""

from dataclasses import dataclass, field

from engine.device.api import Device, Event
from engine.play.level import Level
from engine.play.sentences import ROWS, group_sentences

EVENTS = ("h2d_done", "compute_done", "d2h_done")


@dataclass(slots=True)
class Batch:
    """One batch. `blocks` are the KV blocks it holds (none: they are in host memory), `named` those
    that its inputs name; `recorded` are the events recorded since the work they are meant for was
    issued; `tokens` is what the host read."""

    number: int
    group: int
    events: dict[str, Event]
    slot: int = -1
    blocks: tuple[int, ...] = ()
    named: tuple[int, ...] = ()
    recorded: set[str] = field(default_factory=set)
    tokens: tuple[int, ...] = ()


def make_batches(device: Device, level: Level) -> list[Batch]:
    """The batches of a level, none of them written yet."""
    resident = {group: place for place, group in enumerate(level.groups_on_device)}
    batches = []
    for number, group in enumerate(level.batches):
        batch = Batch(number, group, {name: device.event(name) for name in EVENTS})
        if group in resident:
            first = resident[group] * ROWS
            batch.blocks = tuple(range(first, first + ROWS))
        batches.append(batch)
    return batches


def expected_tokens(level: Level, number: int) -> tuple[int, ...]:
    """What batch `number` must say: for each row the word that follows."""
    group = level.batches[number]
    said = level.batches[:number].count(group)
    return tuple(sentence[said + 1] for sentence in group_sentences(group))
