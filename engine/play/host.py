"""The host of a level: it does, one by one, what it is told, and says why where it cannot.

Every operation becomes calls of the device, as in the engine's loop. What is impossible (a batch
that was not written, a buffer nobody used before) is refused and changes nothing; what is merely
wrong is done.
"""

from collections import Counter
from collections.abc import Callable
from typing import NamedTuple

from engine.device.api import Device, Stream
from engine.play.batch import Batch, make_batches
from engine.play.level import HOST_WORK, Level
from engine.play.memory import make_memory
from engine.play.operations import OPERATIONS
from engine.play.sentences import ROWS, group_sentences
from engine.streams import make_streams


class Refused(Exception):  # noqa: N818 - no error of the program: the learner asked for it
    """What was asked for is not possible; `why` names the sentence, `values` fill it."""

    def __init__(self, why: str, **values: object) -> None:
        super().__init__(why)
        self.why = why
        self.values = values


class Done(NamedTuple):
    """What an operation was about: its batch (none: -1) and the event it recorded or waited for."""

    batch: int
    event: str = ""


class Host:
    """Carries out the operations of one program on a device."""

    def __init__(self, level: Level, device: Device) -> None:
        self.level = level
        self.device = device
        self.h2d, self.compute, self.d2h = make_streams(device, level.mechanisms)
        self.memory = make_memory(device, level)
        self.batches = make_batches(device, level)
        self.done: Counter[str] = Counter()
        self.slot = 0
        self.free_blocks: tuple[int, ...] = ()
        self.known = {group: [s[:1] for s in group_sentences(group)] for group in level.batches}

    @property
    def is_over(self) -> bool:
        """Whether every batch went all the way."""
        stages = ("copied_in", "launched", "copied_out", "read")
        return all(self.done[stage] == len(self.batches) for stage in stages)

    def perform(self, key: str, given: bool = False) -> Done:
        """Do one operation; `given` ones stand at the level's start, and need no permission.

        Raises Refused, and has then done nothing.
        """
        if key not in OPERATIONS:
            raise Refused("unknown", pressed=key)
        if key not in self.level.allowed and not given:
            raise Refused("not_allowed")
        if self.is_over:
            raise Refused("over")
        act: Callable[[], Done] = getattr(self, f"_{OPERATIONS[key].name}")
        return act()

    # ---------------------------------------------------- batches and slots

    def _next(self, stage: str, past: str = "all_done") -> Batch:
        """The next batch for a stage, which has been written; `past`: why there is none left."""
        number = self.done[stage]
        if number == len(self.batches):
            raise Refused(past)
        if number >= self.done["written"]:
            raise Refused("not_written", batch=number)
        return self._about(self.batches[number])

    def _about(self, batch: Batch) -> Batch:
        """Let what follows be marked as this batch's."""
        self.device.context.step, self.device.context.slot = batch.number, batch.slot
        return batch

    def _user_before(self, number: int, slot: int, resource: str) -> Batch:
        """The last written batch before `number` that used the buffer of a slot."""
        shared = resource in self.level.shared
        for batch in reversed(self.batches[: min(number, self.done["written"])]):
            if shared or batch.slot == slot:
                return batch
        raise Refused("nobody_before")

    def _unwritten(self) -> Batch:
        number = self.done["written"]
        if number == len(self.batches):
            raise Refused("all_done")
        return self.batches[number]

    def _swap(self) -> Done:
        self.slot = (self.slot + 1) % self.level.slots
        return Done(-1)

    # -------------------------------------------------- the host's own work

    def _write(self) -> Done:
        batch = self._unwritten()
        rows = [sentence[-1] for sentence in self.known[batch.group]]
        return self._fill("write", batch, [(token, 0) for token in rows])

    def _placeholder(self) -> Done:
        batch = self._unwritten()
        if batch.group not in self.level.batches[: batch.number]:
            raise Refused("nothing_to_carry", batch=batch.number)
        first = batch.group * ROWS
        return self._fill("placeholder", batch, [(0, first + row + 1) for row in range(ROWS)])

    def _fill(self, work: str, batch: Batch, rows: list[tuple[int, int]]) -> Done:
        """Write a batch's inputs, (token, source) a row, into the present slot."""
        if not batch.blocks:
            raise Refused("no_blocks", batch=batch.number)
        batch.slot, batch.named = self.slot, batch.blocks
        self._about(batch)
        values = [
            (token, block, source)
            for (token, source), block in zip(rows, batch.blocks, strict=True)
        ]
        with self.device.host(HOST_WORK[work]):
            target = self.memory.slots[batch.slot].host_inputs
            self.device.write(HOST_WORK[work], [(target, ROWS, values)])
        self.done["written"] += 1
        return Done(batch.number)

    def _read(self) -> Done:
        batch = self._next("read")
        source = self.memory.slots[batch.slot].host_outputs
        batch.tokens = tuple(self.device.read(HOST_WORK["read"], source, ROWS))
        for row, token in enumerate(batch.tokens):
            self.known[batch.group][row] += (token,)
        with self.device.host(HOST_WORK["read"]):
            self.done["read"] += 1
        return Done(batch.number)

    def _release(self) -> Done:
        batch = self._next("released")
        self.free_blocks, batch.blocks = batch.blocks, ()
        self.done["released"] += 1
        return Done(batch.number)

    # ------------------------------------------------------- work of streams

    def _swap_in(self) -> Done:
        batch = next((b for b in self.batches if not b.blocks and b.slot < 0), None)
        if batch is None:
            raise Refused("all_resident")
        if not self.free_blocks:
            raise Refused("no_free_blocks")
        self.device.context.step, self.device.context.slot = batch.number, self.slot
        batch.blocks, self.free_blocks = self.free_blocks, ()
        first = batch.group * ROWS
        self.h2d.copy_rows(
            self.memory.kv, batch.blocks, self.memory.home, range(first, first + ROWS)
        )
        return Done(batch.number)

    def _copy_in(self) -> Done:
        batch = self._next("copied_in")
        slot = self.memory.slots[batch.slot]
        self.h2d.copy(slot.device_inputs, slot.host_inputs, ROWS)
        return self._issued(batch, "copied_in", "h2d_done")

    def _launch(self) -> Done:
        batch = self._next("launched")
        for kernel in self.memory.kernels(batch.slot, batch.group, batch.named):
            self.compute.launch(kernel)
        return self._issued(batch, "launched", "compute_done")

    def _copy_out(self) -> Done:
        batch = self._next("copied_out")
        slot = self.memory.slots[batch.slot]
        self.d2h.copy(slot.host_outputs, slot.device_outputs, ROWS)
        return self._issued(batch, "copied_out", "d2h_done")

    def _issued(self, batch: Batch, stage: str, event: str) -> Done:
        self.done[stage] += 1
        batch.recorded.discard(event)
        return Done(batch.number)

    # ------------------------------------------------------------ the records

    def _record_h2d(self) -> Done:
        return self._record(self.h2d, "h2d_done", "copied_in")

    def _record_compute(self) -> Done:
        return self._record(self.compute, "compute_done", "launched")

    def _record_d2h(self) -> Done:
        return self._record(self.d2h, "d2h_done", "copied_out")

    def _record(self, stream: Stream, event: str, stage: str) -> Done:
        """Record the event of the batch last issued; of the next one where that is done."""
        batch = self.batches[self.done[stage] - 1] if self.done[stage] else None
        if batch is None or event in batch.recorded:
            batch = self._next(stage) if self.done[stage] < self.done["written"] else batch
        if batch is None:
            raise Refused("not_written", batch=0)
        self._about(batch)
        stream.record(batch.events[event])
        batch.recorded.add(event)
        return Done(batch.number, event)

    # -------------------------------------------------------------- the waits

    def _wait_h2d(self) -> Done:
        batch = self._next("launched", "nothing_behind")
        return self._wait(self.compute, batch, "h2d_done")

    def _wait_compute(self) -> Done:
        batch = self._next("copied_out", "nothing_behind")
        return self._wait(self.d2h, batch, "compute_done")

    def _wait_inputs_free(self) -> Done:
        batch = self._next("copied_in", "nothing_behind")
        before = self._user_before(batch.number, batch.slot, "device inputs")
        return self._wait(self.h2d, before, "compute_done")

    def _wait_outputs_free(self) -> Done:
        batch = self._next("launched", "nothing_behind")
        before = self._user_before(batch.number, batch.slot, "device outputs")
        return self._wait(self.compute, before, "d2h_done")

    def _wait(self, stream: Stream, of: Batch, event: str) -> Done:
        stream.wait(of.events[event])
        return Done(of.number, event)

    def _sync_d2h(self) -> Done:
        batch = self._next("read")
        return self._sync(batch, "d2h_done")

    def _sync_compute(self) -> Done:
        batch = self._next("read" if self.level.resident is None else "released")
        return self._sync(batch, "compute_done")

    def _sync_h2d(self) -> Done:
        batch = self._unwritten()
        before = self._user_before(batch.number, self.slot, "host inputs")
        self.device.context.step, self.device.context.slot = batch.number, self.slot
        return self._sync(before, "h2d_done")

    def _sync(self, of: Batch, event: str) -> Done:
        of.events[event].synchronize()
        return Done(of.number, event)

    def _sync_stream(self) -> Done:
        self.d2h.synchronize()
        return Done(-1)

    def _sync_device(self) -> Done:
        self.device.synchronize()
        return Done(-1)
