"""Runs that are watched: what happened to each request on the way, and what must hold of all.

`play` runs a workload and keeps a `Story` of it, `check` holds the story against the synchronous
run and the engine's books.
"""

from collections import Counter, defaultdict
from dataclasses import dataclass, field

import pytest

import engine.loop
from engine import Run, configure, execute
from engine.batch import Batch
from engine.kv.preemption import Preemption
from engine.ledger import Ledger
from engine.requests.lifecycle import Lifecycle
from engine.speculation import Speculation


@dataclass
class Story:
    """A run, and what happened on the way to its end."""

    batches: dict[int, Batch] = field(default_factory=dict)
    most_in_flight: int = 0
    heard: dict[str, str] = field(default_factory=lambda: defaultdict(str))
    """the streamed text of each request"""
    joined: Counter[str] = field(default_factory=Counter)
    released: Counter[str] = field(default_factory=Counter)
    released_in_flight: int = 0
    """how often blocks went back while a row of their request was in flight"""
    interrupted: dict[str, int] = field(default_factory=dict)
    """requests cancelled or preempted, with the rows they had in flight then"""
    drafts: list[tuple[int, int]] = field(default_factory=list)
    """(proposed, accepted) of each row that had drafts"""
    result: Run = field(init=False)

    def request(self, name):
        return next(request for request in self.result.requests if request.id == name)

    def members(self, step):
        """The requests that have a row in a batch, by row."""
        return [row.request.id for row in self.batches[step].launched]

    def rows(self, name):
        """The rows of a request, in the order of their batches."""
        launched = (row for batch in self.batches.values() for row in batch.launched)
        return [row for row in launched if row.request.id == name]


def play(workload, loop, depth, **toggles):
    """Run a workload with so many batches in flight, each in a slot of its own."""
    settings = {"loop": loop, "depth": depth, "device_slots": depth, "host_slots": depth}
    config = configure(set={**settings, **toggles}, workload=workload, cost="slow-copies")
    story = Story()

    def begun(batch, *_):
        story.batches[batch.step] = batch
        in_flight = sum(not other.settled for other in story.batches.values())
        story.most_in_flight = max(story.most_in_flight, in_flight)

    def joined(requests, *_):
        story.joined.update(request.id for request in requests)

    def released(_, __, request, *___):
        story.released[request.id] += 1
        story.released_in_flight += request.in_flight > 0

    def interrupted(_, __, request):
        story.interrupted[request.id] = request.in_flight

    def verified(taken, _, row, result):
        if row.drafts:
            story.drafts.append((result[1], taken - 1))

    def listen(name, text):
        story.heard[name] += text

    with pytest.MonkeyPatch.context() as patch:
        for owner, name, note in (
            (engine.loop, "new_batch", begun),
            (Lifecycle, "admit", joined),
            (Lifecycle, "_cancel", interrupted),
            (Preemption, "preempt", interrupted),
            (Ledger, "release", released),
            (Speculation, "_taken", verified),
        ):
            patch.setattr(owner, name, noting(getattr(owner, name), note))
        story.result = execute(config, listener=listen)
    return story


def noting(original, note):
    """The same function, of whose outcome and arguments a note is taken."""

    def spy(*args):
        outcome = original(*args)
        note(outcome, *args)
        return outcome

    return spy


def check(story, depth):
    """What must hold whatever happened; the ledger sees it at every instant of the run."""
    result = story.result
    assert story.most_in_flight == depth
    assert result.hazards == []
    assert result.invariants == []
    assert result.token_diff.count == 0 < result.token_diff.total
    pool = result.parts.pool
    assert (pool.in_use, pool.promised, pool.owner, pool.holders) == (0, 0, {}, {})
    assert story.released == story.joined
    assert story.released_in_flight == 0
    for request in result.requests:
        assert request.finished
        assert request.scheduled >= request.computed >= request.committed >= request.streamed
        heard = story.heard[request.id]
        assert request.text.startswith(heard) if request.cancelled else request.text == heard
