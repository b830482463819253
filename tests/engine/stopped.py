"""An engine that is really stopped at an instant, and what its own parts say then.

What is looked at here are the live objects (memory, tasks, requests, the host's own frames), so
that a picture rebuilt from the log has something to be held against.
"""

import sys
from dataclasses import dataclass, field, replace

import numpy as np
import pytest

from engine import Run, execute
from engine.config import RunConfig
from engine.device.clocks import Clocks
from engine.device.recorder import LOOP_FILE
from engine.loop import Loop
from engine.oplog import NONE
from engine.recording.history import RequestState, state_of
from engine.recording.journal import Journal, readable


@dataclass
class Frozen:
    """A run stopped at `at_ns`, the loop that ran it, and the line it stood on."""

    at_ns: int
    journal: Journal = field(default_factory=Journal)
    run: Run | None = None
    loop: Loop | None = None
    line: int = NONE

    def memory(self) -> list[list[object]]:
        """The rows of every buffer with data, as the journal would keep them."""
        return [readable(data).tolist() for data in self.journal.memory if data is not None]

    def blank_rows(self) -> list[object]:
        """For every buffer a row of zeros, as the journal would keep it."""
        memory = (data for data in self.journal.memory if data is not None)
        return [readable(np.zeros_like(data[:1])).tolist()[0] for data in memory]

    def unfinished(self) -> dict[int, bool]:
        """Device operations that are not done, by `seq`: True when under way."""
        tasks = self.run.device._simulator.unfinished()
        return {task.seq: task.since_ns <= self.at_ns for task in tasks}

    def event_is_set(self, record: int) -> bool:
        return all(task.done for task in self.run.device._order.recorded(record))

    def requests(self) -> list[RequestState]:
        life = self.run.parts.scheduler.life
        places = (
            ("waiting", life.waiting), ("waiting", life.held), ("leaving", life.leaving),
            ("running", life.running),
        )  # fmt: skip
        stage = {request.id: name for name, requests in places for request in requests}
        return [state_of(r, stage.get(r.id, "over")) for r in life.all_requests]

    def blocks(self) -> dict[int, tuple[str, set[str]]]:
        """Writer and holders of every KV block in use."""
        pool = self.run.parts.pool
        return {b: (pool.owner.get(b, ""), holders) for b, holders in pool.holders.items()}

    def owners(self, side: str) -> dict[int, int]:
        """The loop's own books: which batch a slot belongs to."""
        owners = self.loop.host_owner if side == "host" else self.loop.device_owner
        return {slot: batch.step for slot, batch in owners.items()}


def frozen_at(config: RunConfig, at_ns: int, monkeypatch: pytest.MonkeyPatch) -> Frozen:
    """Run a configuration and stop it there."""
    found = Frozen(at_ns)
    freeze, begin = Clocks._freeze, Loop.__init__

    def freezes(self):
        found.line = _line_of_the_loop()
        freeze(self)

    def begins(self, *args, **kwargs):
        begin(self, *args, **kwargs)
        found.loop = self

    with monkeypatch.context() as patch:
        patch.setattr(Clocks, "_freeze", freezes)
        patch.setattr(Loop, "__init__", begins)
        found.run = execute(replace(config, stop_at_ns=at_ns), journal=found.journal)
    assert found.run.stopped
    return found


def _line_of_the_loop() -> int:
    frame = sys._getframe()
    while frame is not None and frame.f_code.co_filename != LOOP_FILE:
        frame = frame.f_back
    return NONE if frame is None else frame.f_lineno
