"""The engine's loop: synchronous and asynchronous, side by side.

Both use the same three moves. `prepare` is host work: choose rows, build metadata, fill
a slot's host buffers. `launch` queues a batch's device work on three streams, ordered by
events. `finish` waits for a batch's results, reads them and commits tokens.

Every mechanism is a visible line here; switching it off removes or misplaces that line.
"""

from collections import deque

from engine.batch import Batch, new_batch
from engine.device.api import Stream
from engine.device.faults import BatchError
from engine.parts import Parts
from engine.requests.steering import STEERING
from engine.slots import input_values, inputs_of


class Loop:
    """Runs an engine's batches until no work is left, or for `max_steps` batches."""

    def __init__(self, parts: Parts, max_steps: int | None = None) -> None:
        self.parts = parts
        self.device = parts.device
        self.mechanisms = parts.mechanisms
        self.scheduler = parts.scheduler
        self.max_steps = max_steps
        self.step = 0
        self.in_flight: deque[Batch] = deque()
        self.device_owner: dict[int, Batch] = {}
        self.host_owner: dict[int, Batch] = {}

    # ------------------------------------------------------------- the two loops

    def run_sync(self) -> None:
        """One batch at a time: the device waits for the host, the host for the device."""
        while self.has_rows():
            batch = self.prepare()
            self.launch(batch)
            self.finish(batch)

    def run_async(self) -> None:
        """Prepare and launch batch N+1 while the device computes batch N; then finish N."""
        while True:
            if cause := self.needs_results:
                self.finish_all(cause)
            if self.has_rows():
                batch = self.prepare()
                self.launch(batch)
                if not self.is_full:
                    continue
            elif not self.in_flight or self.leaves_undrained:
                break
            self.finish(self.in_flight[0])

    # ------------------------------------------------------------ the three moves

    def prepare(self) -> Batch:
        """Steps 1 to 3 of the host: schedule, allocate and build metadata, update inputs."""
        device, parts, m = self.device, self.parts, self.mechanisms
        self._enter(self.step)
        with device.host("schedule", parts.workload.batch):
            rows = self.scheduler.schedule(self.step)
        batch = new_batch(device, self.step, rows, m.device_slots, m.host_slots)
        batch.steered = parts.steering.steers(batch)
        self._enter(self.step, batch)
        with device.host("allocate", len(batch.launched)):
            parts.ledger.scheduled(batch)
            parts.grow_blocks(batch)
            parts.choose_graphs(batch)
        with device.host("update inputs", len(batch.launched)):
            owner = self.host_owner.get(batch.host_slot)
            if m.reuse_host_input and owner:
                owner.h2d_done.synchronize()
            slot = parts.slots.host_inputs[batch.host_slot]
            device.write("write inputs", input_values(batch, slot, not parts.computes))
        self.step += 1
        return batch

    def launch(self, batch: Batch) -> None:
        """Step 4: queue copies and kernels; events order the three streams."""
        with self.device.host("launch"):
            self.launch_inputs(batch)
            self.launch_forward(batch)
            self.launch_outputs(batch)
        self.in_flight.append(batch)
        self.device_owner[batch.device_slot] = batch
        self.host_owner[batch.host_slot] = batch
        self.hidden_synchronisation(batch)
        self.free_temporary(batch)

    def launch_inputs(self, batch: Batch) -> None:
        """H2D: wait until the slot may be overwritten, copy, record h2d_done."""
        m, h2d, compute = self.mechanisms, self.parts.h2d, self.parts.compute
        owner = self.device_owner.get(batch.device_slot)
        if m.reuse_device_input and owner:
            h2d.wait(owner.compute_done)
        if m.wait_h2d and m.wait_order == "before-record":
            compute.wait(batch.h2d_done)
        if self.parts.swapper is not None:
            self.parts.swapper.swap_in(batch)
        labels = inputs_of(batch)
        for number, label in enumerate(labels):
            if m.fence == "partial" and number == len(labels) - 1:
                h2d.record(batch.h2d_done)
            source = self.parts.slots.host_inputs[batch.host_slot]
            target = self.parts.slots.device_inputs[batch.device_slot]
            rows = source.rows_used(label, batch)
            h2d.copy(target.buffers[label], source.buffers[label], rows, (number, len(labels)))
        if m.fence == "whole":
            h2d.record(batch.h2d_done)

    def launch_forward(self, batch: Batch) -> None:
        """Compute: wait for the inputs and for the slot's outputs, run, record compute_done."""
        m, compute = self.mechanisms, self.parts.compute
        owner = self.device_owner.get(batch.device_slot)
        if m.wait_h2d and m.wait_order == "after-record":
            compute.wait(batch.h2d_done)
        if m.reuse_device_output and owner:
            compute.wait(owner.d2h_done)
        kernels = self.parts.kernels(batch)  # or graphs, each one launch
        end = self.parts.kernels_after_logits
        side = self.fork() if len(batch.graphs) > 1 else compute
        for kernel in kernels[:-end]:
            side.launch(kernel)
        if m.record_point == "early":
            compute.record(batch.compute_done)
        if batch.steered:
            self.steer(batch)
            self.launch_masks(batch)
        for kernel in kernels[-end:]:
            compute.launch(kernel)
        if side is not compute:
            self.join(side)
        if m.record_point == "after":
            compute.record(batch.compute_done)

    def steer(self, batch: Batch) -> None:
        """Grammar and penalties: sampling waits until the host has the tokens in flight."""
        m, steering = self.mechanisms, self.parts.steering
        if m.grammar == "stale":
            steering.read_grammar(batch)
        if m.penalties == "stale":
            steering.read_history(batch)
        if steering.waits(batch):
            self.finish_all("sampling waits for the host")
        if m.grammar != "stale":
            steering.read_grammar(batch)
        if m.penalties == "current":
            steering.read_history(batch)

    def launch_masks(self, batch: Batch) -> None:
        """An input of its own: write it, copy it, and let the sampling kernel wait for it."""
        m, h2d, slots = self.mechanisms, self.parts.h2d, self.parts.slots
        rows = len(batch.launched) * self.parts.steering.samples
        source = slots.host_inputs[batch.host_slot].buffers
        target = slots.device_inputs[batch.device_slot].buffers
        owner = self.host_owner.get(batch.host_slot)
        if m.reuse_host_input and owner and owner.masks_done:
            owner.masks_done.synchronize()
        with self.device.host("mask", rows):
            self.device.write("write masks", self.parts.steering.written(source, rows))
        for number, label in enumerate(STEERING):
            h2d.copy(target[label], source[label], rows, (number, len(STEERING)))
        batch.masks_done = self.device.event("masks_done")
        h2d.record(batch.masks_done)
        if m.wait_h2d:
            self.parts.compute.wait(batch.masks_done)

    def launch_outputs(self, batch: Batch) -> None:
        """D2H: wait for the results and until the host slot has been read, copy, record."""
        m, d2h = self.mechanisms, self.parts.d2h
        if owner := self.unread_owner(batch):
            self.finish_up_to(owner)
        if m.wait_compute:
            d2h.wait(batch.compute_done)
        source = self.parts.output(batch)
        target = self.parts.slots.host_outputs[batch.host_slot]
        d2h.copy(target, source, len(batch.launched))
        d2h.record(batch.d2h_done)

    def free_temporary(self, batch: Batch) -> None:
        """Give a temporary result back: its memory may be handed out again at once."""
        if batch.temporary is not None:
            if self.mechanisms.record_stream:
                self.device.record_stream(batch.temporary, self.parts.d2h)
            self.device.free(batch.temporary)

    def finish(self, batch: Batch) -> None:
        """Steps 5 to 9: wait, read, update state, stream, repeat."""
        device, parts, m = self.device, self.parts, self.mechanisms
        rows = len(batch.launched)
        self.in_flight.remove(batch)
        self._enter(batch.step, batch)
        try:
            with device.host("wait"):
                if m.sync_d2h == "event":
                    batch.d2h_done.synchronize()
                elif m.sync_d2h == "device":
                    device.synchronize()
                device.check(batch.step)
            with device.host("read", rows):
                output = parts.slots.host_outputs[batch.host_slot]
                tokens = parts.tokens_of(device.read("read outputs", output, rows), batch)
            with device.host("update state", rows):
                parts.settle(batch, tokens)
        except BatchError as error:  # fail or retry its requests; the loop goes on
            parts.recover(batch, error)
        with device.host("stream", rows):
            parts.stream(batch)
        with device.host("repeat"):
            self.scheduler.retire()

    # ------------------------------------------------------------------- helpers

    def fork(self) -> Stream:
        """A stream beside the compute stream, from here on: two graphs run at once."""
        start, side = self.device.event("fork"), self.parts.side
        self.parts.compute.record(start)
        side.wait(start)
        return side

    def join(self, side: Stream) -> None:
        """The compute stream goes on when both have ended."""
        done = self.device.event("join")
        side.record(done)
        self.parts.compute.wait(done)

    def hidden_synchronisation(self, batch: Batch) -> None:
        """What sneaks into loops: each of these blocks the host until the device is done."""
        m, compute = self.mechanisms, self.parts.compute
        output = self.parts.output(batch)
        if m.accept_length == "item" and self.parts.speculation is not None:
            compute.copy(self.parts.scratch, output, len(batch.launched))
            compute.synchronize("accepted length .item()")
            self.parts.read_accepted(batch)
        if m.item_sync:
            compute.copy(self.parts.scratch, output, 1)
            compute.synchronize(".item()")
        if m.print_tensor:
            compute.copy(self.parts.scratch, output, len(batch.launched))
            compute.synchronize("print(tensor)")
        if m.device_sync_each_step:
            self.device.synchronize("device synchronize each step")

    def finish_up_to(self, batch: Batch) -> None:
        """Finish the batches in flight, oldest first, until `batch` is finished."""
        step, slot = self.device.context.step, self.device.context.slot
        while batch in self.in_flight:
            self.finish(self.in_flight[0])
        self.device.context.step, self.device.context.slot = step, slot

    def unread_owner(self, batch: Batch) -> Batch | None:
        """The batch in flight whose results must be read before this one's may follow them."""
        owner = self.host_owner.get(batch.host_slot)
        return owner if self.mechanisms.reuse_host_output and owner in self.in_flight else None

    def has_arrived(self, batch: Batch) -> bool:
        """True when a batch's results are seen to be there, without blocking (`sync_d2h`)."""
        return self.mechanisms.sync_d2h == "event" and batch.d2h_done.query()

    def finish_all(self, cause: str) -> None:
        """Empty the pipeline: what comes next needs all results."""
        self.device.context.cause = cause
        if self.in_flight:
            self.finish_up_to(self.in_flight[-1])
        self.device.context.cause = ""

    def has_rows(self) -> bool:
        """True when another batch can be prepared now."""
        if self.parts.stop() or (self.max_steps is not None and self.step >= self.max_steps):
            return False
        return self.scheduler.ready(self.step)

    @property
    def is_full(self) -> bool:
        """True when no more batches may be in flight."""
        return self.mechanisms.backpressure and len(self.in_flight) >= self.mechanisms.depth

    @property
    def needs_results(self) -> str:
        """Why no batch can be prepared before all results are in; empty where one can."""
        if self.mechanisms.carry == "host" or self.mechanisms.sampling == "host":
            return "tokens pass through the host"
        if self.mechanisms.eos_policy == "remove":
            return "ended rows are removed before launch"
        return ""

    @property
    def leaves_undrained(self) -> bool:
        """True when `drain` is off and nothing is left to schedule: the last batch is lost."""
        return not self.mechanisms.drain and self.scheduler.done

    def _enter(self, step: int, batch: Batch | None = None) -> None:
        """Stamp what follows with the step, and the slot it works on."""
        self.device.context.step = step
        self.device.context.slot = batch.device_slot if batch else -1
