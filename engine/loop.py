"""The engine's loop: synchronous and asynchronous, side by side.

Both use the same three moves. `prepare` is host work: choose rows, build metadata, fill
a slot's host buffers. `launch` queues a batch's device work on three streams, ordered by
events. `finish` waits for a batch's results, reads them and commits tokens.

Every mechanism is a visible line here; switching it off removes or misplaces that line.
"""

from collections import deque

from engine.batch import Batch, new_batch
from engine.parts import Parts
from engine.slots import INPUTS, input_values


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
        self._enter(self.step, batch)
        with device.host("allocate", len(batch.launched)):
            parts.ledger.scheduled(batch)
            parts.grow_blocks(batch)
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

    def launch_inputs(self, batch: Batch) -> None:
        """H2D: wait until the slot may be overwritten, copy, record h2d_done."""
        m, h2d, compute = self.mechanisms, self.parts.h2d, self.parts.compute
        owner = self.device_owner.get(batch.device_slot)
        if m.reuse_device_input and owner:
            h2d.wait(owner.compute_done)
        if m.wait_h2d and m.wait_order == "before-record":
            compute.wait(batch.h2d_done)
        for number, label in enumerate(INPUTS):
            if m.fence == "partial" and number == len(INPUTS) - 1:
                h2d.record(batch.h2d_done)
            source = self.parts.slots.host_inputs[batch.host_slot]
            target = self.parts.slots.device_inputs[batch.device_slot]
            rows = source.rows_used(label, batch)
            h2d.copy(target.buffers[label], source.buffers[label], rows, (number, len(INPUTS)))
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
        *kernels, last = self.parts.kernels(batch)
        for kernel in kernels:
            compute.launch(kernel)
        if m.record_point == "early":
            compute.record(batch.compute_done)
        compute.launch(last)
        if m.record_point == "after":
            compute.record(batch.compute_done)

    def launch_outputs(self, batch: Batch) -> None:
        """D2H: wait for the results and until the host slot has been read, copy, record."""
        m, d2h = self.mechanisms, self.parts.d2h
        if owner := self.unread_owner(batch):
            self.finish_up_to(owner)
        if m.wait_compute:
            d2h.wait(batch.compute_done)
        source = self.parts.slots.device_outputs[batch.device_slot]
        target = self.parts.slots.host_outputs[batch.host_slot]
        d2h.copy(target, source, len(batch.launched))
        d2h.record(batch.d2h_done)

    def finish(self, batch: Batch) -> None:
        """Steps 5 to 9: wait, read, update state, stream, repeat."""
        device, parts, m = self.device, self.parts, self.mechanisms
        rows = len(batch.launched)
        self.in_flight.remove(batch)
        self._enter(batch.step, batch)
        with device.host("wait"):
            if m.sync_d2h == "event":
                batch.d2h_done.synchronize()
            elif m.sync_d2h == "device":
                device.synchronize()
        with device.host("read", rows):
            output = parts.slots.host_outputs[batch.host_slot]
            tokens = parts.tokens_of(device.read("read outputs", output, rows), batch)
        with device.host("update state", rows):
            parts.settle(batch, tokens)
        with device.host("stream", rows):
            parts.stream(batch)
        with device.host("repeat"):
            self.scheduler.retire()

    # ------------------------------------------------------------------- helpers

    def hidden_synchronisation(self, batch: Batch) -> None:
        """What sneaks into loops: each of these blocks the host until the device is done."""
        m, compute = self.mechanisms, self.parts.compute
        output = self.parts.slots.device_outputs[batch.device_slot]
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
        """Empty the pipeline: the next batch cannot be prepared without all results."""
        self.device.context.cause = cause
        while self.in_flight:
            self.finish(self.in_flight[0])
        self.device.context.cause = ""

    def has_rows(self) -> bool:
        """True when another batch can be prepared now."""
        if self.max_steps is not None and self.step >= self.max_steps:
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
