"""A position: a level, what has been done in it, and all that follows from that.

Nothing is kept from one position to the next. A program is carried out from its beginning on a
fresh virtual device; what is queued at the end then runs dry, so that the future of everything
issued is known. Going back is a shorter program.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import torch

from engine.checker.hazards import Hazard, find_hazards, find_races, missing_edge
from engine.device.api import HostSpan
from engine.device.settings import Settings
from engine.device.watched import watched_by
from engine.oplog import OpKind, OpLog
from engine.play.batch import Batch, expected_tokens
from engine.play.host import Host, Refused
from engine.play.level import Level
from engine.play.operations import waits_in
from engine.play.verdict import Standing, Verdict, judge
from engine.process import one_thread
from engine.recording.instant import Instants
from engine.recording.journal import Journal
from engine.recording.memory_at import BufferState, buffers_at
from engine.results.dump import build_trace
from traces import Gap, Trace, find_gaps


@dataclass(frozen=True)
class Step:
    """One operation of a program, done or refused.

    It made the operations of the log with first <= seq < last, between two readings of the
    host's clock. `batch` is -1 where it was about none; `refused` names why it was not possible.
    """

    key: str
    given: bool
    first: int
    last: int
    start_ns: int
    end_ns: int
    batch: int = -1
    event: str = ""
    refused: str = ""
    values: Mapping[str, object] | None = None


@dataclass(eq=False)
class Position:
    """What holds after `steps`. `now_ns` is the host's clock; device work may lie in the future."""

    level: Level
    steps: tuple[Step, ...]
    log: OpLog
    spans: list[HostSpan]
    now_ns: int
    batches: tuple[Batch, ...]
    is_over: bool
    journal: Journal

    @property
    def moves(self) -> str:
        """The learner's own operations that were possible: the program to go on from."""
        return "".join(s.key for s in self.steps if not (s.given or s.refused))

    @cached_property
    def hazards(self) -> list[Hazard]:
        """What the happens-before checker finds, earliest first."""
        return find_hazards(self.log)

    @cached_property
    def arisen(self) -> list[int]:
        """For each hazard the place among `steps` of the operation with which it arose."""
        buffers = {buffer.index: buffer.resource for buffer in self.log.buffers}
        later: dict[tuple[str, str, str], int] = {}
        for race in find_races(self.log):
            key = race.kind, buffers[race.buffer], missing_edge(race.first, race.second)
            seq = max(race.first.seq, race.second.seq)
            later[key] = min(later.get(key, seq), seq)
        seqs = [later[h.kind, h.resource, h.missing_edge] for h in self.hazards]
        return [
            next(place for place, step in enumerate(self.steps) if step.first <= seq < step.last)
            for seq in seqs
        ]

    @cached_property
    def trace(self) -> Trace:
        """All work up to the end of what is queued."""
        return build_trace(self.log, self.spans, [], {})

    @cached_property
    def gaps(self) -> list[Gap]:
        """Stretches without a kernel, from the first host work to the end of all work."""
        return find_gaps(self.trace)

    @cached_property
    def idle_percent(self) -> float:
        """Share of the time between the first kernel's start and the last one's end without
        any kernel, in percent."""
        kernels = [op for op in self.log if op.kind is OpKind.KERNEL]
        if not kernels:
            return 0.0
        whole = max(op.end_ns for op in kernels) - min(op.start_ns for op in kernels)
        return 100 * sum(gap.ns for gap in self.gaps if gap.where == "middle") / max(1, whole)

    @cached_property
    def wrong(self) -> dict[int, tuple[int, ...]]:
        """Rows with a wrong token, by batch, of the batches that the host has read."""
        rows = {}
        for batch in self.batches:
            truth = expected_tokens(self.level, batch.number)
            pairs = zip(batch.tokens, truth, strict=False)
            rows[batch.number] = tuple(row for row, (a, b) in enumerate(pairs) if a != b)
        return {number: wrong for number, wrong in rows.items() if wrong}

    @cached_property
    def verdict(self) -> Verdict:
        """Whether the level is solved, lost, or still open, and why."""
        standing = Standing(
            self.is_over,
            tuple(dict.fromkeys(f"{h.kind} {h.resource}" for h in self.hazards)),
            sum(map(len, self.wrong.values())),
            self.idle_percent,
            self.waits,
        )
        return judge(self.level.goal, standing)

    @property
    def waits(self) -> int:
        """How many operations so far make somebody wait, given ones among them."""
        return waits_in("".join(step.key for step in self.steps if not step.refused))

    @cached_property
    def instants(self) -> Instants:
        """Queues and events at any instant."""
        return Instants(self.log)

    def buffers(self, *resources: str) -> list[BufferState]:
        """The buffers of some resources as they are now."""
        return buffers_at(self.log, self.journal, self.instants, self.now_ns, resources)


def play(level: Level, moves: str) -> Position:
    """Carry a program out from the level's start. What is not possible is refused and skipped."""
    journal = Journal()
    device = watched_by(journal)(Settings(level.cost))
    with torch.inference_mode(), one_thread():
        host = Host(level, device)
        steps = [_step(host, key, True) for key in level.start]
        steps += [_step(host, key, False) for key in moves]
        now_ns, is_over = device.now_ns, host.is_over
        device.finish()
    batches = tuple(host.batches)
    return Position(
        level, tuple(steps), device.log, device.spans, now_ns, batches, is_over, journal
    )


def _step(host: Host, key: str, given: bool) -> Step:
    log, start_ns = host.device.log, host.device.now_ns
    first = len(log)
    try:
        done = host.perform(key, given)
    except Refused as no:
        return Step(key, given, first, first, start_ns, start_ns, refused=no.why, values=no.values)
    now_ns = host.device.now_ns
    return Step(key, given, first, len(log), start_ns, now_ns, done.batch, done.event)
