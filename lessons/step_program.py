"""What the small programs of steps have in common: three streams, buffers in slots, events by name.

A lesson's program says who waits for whom, and nothing else of it differs from another's.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

from engine.device.api import Event, Kernel, Stream
from engine.device.buffer import Buffer
from engine.device.cost import CostModel
from engine.device.settings import Settings
from engine.device.virtual import VirtualDevice

ROWS = 4
"""Rows of every buffer."""


@dataclass(eq=False)
class StepProgram:
    """A virtual device on which a host enqueues steps, in `slots` device slots by turns."""

    cost: CostModel
    slots: int
    device: VirtualDevice = field(init=False)
    done: dict[tuple[str, int], Event] = field(default_factory=dict)
    """the events that were recorded, by name and step"""

    def __post_init__(self) -> None:
        self.device = VirtualDevice(Settings(self.cost, compute=False))

    def buffers(self, resource: str, count: int) -> list[Buffer]:
        """Buffers of tokens, one a slot; on the host where the resource is the host's."""
        on_host = resource.startswith("host")
        return [
            self.device.buffer(resource, "tokens", (ROWS,), on_host=on_host, slot=number)
            for number in range(count)
        ]

    def prepare(self, step: int, host_inputs: Buffer) -> None:
        """The host begins a step and writes its inputs."""
        self._turn_to(step)
        with self.device.host("prepare"):
            self.device.write("write inputs", [(host_inputs, ROWS, None)])

    def record(self, stream: Stream, name: str, step: int) -> None:
        """A new event, recorded on a stream."""
        self.done[name, step] = self.device.event(name)
        stream.record(self.done[name, step])

    def take(self, step: int, host_outputs: Buffer) -> None:
        """The host waits for the event `d2h_done` of a step and uses its tokens."""
        self._turn_to(step)
        self.done["d2h_done", step].synchronize()
        with self.device.host("use tokens"):
            self.device.read("read tokens", host_outputs, ROWS)

    def run(
        self, steps: int, in_flight: int, enqueue: Callable[[int], None], host_outputs: list[Buffer]
    ) -> VirtualDevice:
        """Enqueue all steps, each taken once `in_flight` of them are; returns the device."""
        for step in range(steps + in_flight - 1):
            if step < steps:
                enqueue(step)
            if (oldest := step - in_flight + 1) >= 0:
                self.take(oldest, host_outputs[oldest % len(host_outputs)])
        return self.device

    def _turn_to(self, step: int) -> None:
        self.device.context.step, self.device.context.slot = step, step % self.slots


def kernel(name: str, source: Buffer, target: Buffer) -> Kernel:
    """A kernel that reads all of one buffer and writes all of another."""
    return Kernel(name, name, (source.first(ROWS),), (target.first(ROWS),), None)
