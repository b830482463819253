"""Lesson 24's program: a small training loop on the device, and the same arithmetic without one.

Six steps of a network of two layers. The host loads a batch, a copy takes it to the device, forward
and backward pass run layer by layer, the gradients of each layer are reduced (a stand-in for other
ranks: one rank averages with itself), clipped and applied. The update has a stream of its own.
"""

import torch
from torch import Tensor

from engine.device.api import Commit, Event, Kernel, Stream
from engine.device.buffer import Buffer
from engine.device.cost import MS, US, CostModel
from engine.device.settings import Settings
from engine.device.virtual import VirtualDevice
from engine.oplog import NONE, Access

STEPS, ROWS, FEATURES, HIDDEN = 6, 8, 4, 3
SHAPE = (ROWS, FEATURES + 1)
SLOTS = (0, 1)
RATE, LONGEST = 0.5, 0.4
"""Learning rate, and the norm that gradients are clipped to."""

COST = CostModel(
    name="training",
    about="5 ms to load a batch; 4 ms forward, 8 ms backward, 3 ms to reduce, 1 ms to update.",
    host_ns={"load": 5 * MS, "log": 200 * US},
    kernel_ns={
        "forward": 4 * MS, "backward": 8 * MS, "reduce": 3 * MS, "clip": 200 * US, "update": 1 * MS
    },
    h2d_ns=1 * MS, d2h_ns=100 * US, launch_ns=5 * US, event_ns=1 * US,
    occupancy=500, kernel_bandwidth=300,
)  # fmt: skip

SIZES = (FEATURES * HIDDEN, HIDDEN)
"""Parameters of each layer."""


def batch(step: int) -> Tensor:
    """[ROWS, FEATURES + 1] a batch: features, and what they should be mapped to."""
    chance = torch.Generator().manual_seed(step)
    x = torch.randn(ROWS, FEATURES, generator=chance, dtype=torch.float64)
    return torch.cat((x, x.sin().sum(1, keepdim=True)), 1)


def begin() -> list[Tensor]:
    """The parameters before the first step."""
    chance = torch.Generator().manual_seed(99)
    return [torch.randn(size, generator=chance, dtype=torch.float64) / 2 for size in SIZES]


def hidden(data: Tensor, first: Tensor) -> Tensor:
    """[ROWS, HIDDEN] what the first layer makes of a batch."""
    values: Tensor = (data[:, :FEATURES] @ first.view(FEATURES, HIDDEN)).tanh()
    return values


def gradients(data: Tensor, h: Tensor, error: Tensor, second: Tensor) -> tuple[Tensor, Tensor]:
    """Of the first layer and of the second, from the errors [ROWS] of the predictions."""
    slope = 2 * error / ROWS
    back = slope[:, None] * second * (1 - h * h)
    return (data[:, :FEATURES].T @ back).flatten(), h.T @ slope


def clipped(parts: list[Tensor]) -> Tensor:
    """What all gradients are multiplied by, so that together they are not too long."""
    scale: Tensor = (LONGEST / torch.cat(parts).norm()).clamp(max=1)
    return scale


def in_order() -> list[float]:
    """The losses of training one thing after the other, without a device."""
    first, second = begin()
    losses = []
    for step in range(STEPS):
        data = batch(step)
        h = hidden(data, first)
        error = h @ second - data[:, FEATURES]
        losses.append(float((error * error).mean()))
        parts = list(gradients(data, h, error, second))
        scale = RATE * clipped(parts)
        first, second = first - scale * parts[0], second - scale * parts[1]
    return losses


class Training:
    """Memory, streams and kernels of the loop. `reduce`: "per layer" or "at the end"; `forward`
    "waits" for the update of the step before, or it "does not"."""

    def __init__(self, reduce: str, forward: str) -> None:
        self.device = VirtualDevice(Settings(COST))
        self.per_layer, self.waits = reduce == "per layer", forward == "waits"
        self.h2d, self.compute, self.optimizer, self.d2h = (
            self.device.stream(name) for name in ("H2D", "compute", "update", "D2H")
        )
        self.sources = [self._buffer("host inputs", "batch", SHAPE, slot, True) for slot in SLOTS]
        self.inputs = [self._buffer("device inputs", "batch", SHAPE, slot) for slot in SLOTS]
        self.layers, self.grads, self.reduced = (
            [self._buffer(name, f"layer {n}", (size,)) for n, size in enumerate(SIZES)]
            for name in ("parameters", "gradients", "reduced gradients")
        )
        self.hidden = self._buffer("activations", "hidden", (ROWS, HIDDEN))
        self.error = self._buffer("activations", "error", (ROWS,))
        self.scale = self._buffer("reduced gradients", "scale", (1,))
        self.loss = [self._buffer("device outputs", "loss", (1,), slot) for slot in SLOTS]
        self.seen = [self._buffer("host outputs", "loss", (1,), slot, True) for slot in SLOTS]
        for layer, values in zip(self.layers, begin(), strict=True):
            layer.tensor.copy_(values)
        self.updated: Event | None = None
        self.copied: dict[int, Event] = {}
        self.read: dict[int, Event] = {}
        self.losses: list[float] = []

    def _buffer(
        self, resource: str, label: str, shape: tuple[int, ...], slot: int = NONE,
        on_host: bool = False,
    ) -> Buffer:  # fmt: skip
        return self.device.buffer(
            resource, label, shape, on_host=on_host, slot=slot, dtype=torch.float64
        )

    def load(self, step: int) -> None:
        """The host reads, decodes and packs a batch."""
        self.device.context.step, self.device.context.slot = step, step % 2
        with self.device.host("load"):
            self.device.write("write batch", [(self.sources[step % 2], ROWS, batch(step))])

    def launch(self, step: int) -> None:
        """Queue one step: copy, forward and the loss's way back, backward, update."""
        slot = step % 2
        data = self.inputs[slot]
        if slot in self.read:
            self.h2d.wait(self.read[slot])
        self.h2d.copy(data, self.sources[slot], ROWS)
        self._after(self.h2d, self.compute)
        if self.updated is not None and self.waits:
            self.compute.wait(self.updated)
        self.compute.launch(self._forward_first(data))
        self.compute.launch(self._forward_second(data, self.loss[slot]))
        self._after(self.compute, self.d2h)
        self.d2h.copy(self.seen[slot], self.loss[slot], 1)
        self.copied[step] = self._recorded(self.d2h, "loss copied")
        self._launch_backward(data)
        self.read[slot] = self._recorded(self.compute, "batch read")
        self.optimizer.launch(self._clip())
        self.optimizer.launch(self._update())
        self.updated = self._recorded(self.optimizer, "updated")

    def _launch_backward(self, data: Buffer) -> None:
        """The last layer first; each layer's gradients are reduced at once, or all at the end."""
        for layer in (1, 0):
            self.compute.launch(self._backward(layer, data))
            if self.per_layer:
                self._after(self.compute, self.optimizer)
                self.optimizer.launch(self._reduce(layer))
        if not self.per_layer:
            self._after(self.compute, self.optimizer)
            for layer in (1, 0):
                self.optimizer.launch(self._reduce(layer))

    def log(self, step: int) -> None:
        """The host waits for the loss of a step, and notes it."""
        self.device.context.step, self.device.context.slot = step, step % 2
        self.copied[step].synchronize()
        with self.device.host("log"):
            self.losses += self.device.read("read loss", self.seen[step % 2], 1)

    def _recorded(self, stream: Stream, name: str) -> Event:
        """A new event that stands for what a stream has been given so far."""
        event = self.device.event(name)
        stream.record(event)
        return event

    def _after(self, first: Stream, second: Stream) -> None:
        """What `second` is given from now on waits for what `first` has been given so far."""
        second.wait(self._recorded(first, "done"))

    def _forward_first(self, data: Buffer) -> Kernel:
        def body() -> Commit:
            values = hidden(data.tensor, self.layers[0].tensor)
            return _writing((self.hidden, values))

        reads = (data.first(ROWS), self.layers[0].first(SIZES[0]))
        return Kernel("forward 0", "forward", reads, (self.hidden.first(ROWS),), body, 1, (0, 2))

    def _forward_second(self, data: Buffer, loss: Buffer) -> Kernel:
        def body() -> Commit:
            error = self.hidden.tensor @ self.layers[1].tensor - data.tensor[:, FEATURES]
            mean = (error * error).mean().view(1)
            return _writing((self.error, error), (loss, mean))

        reads = (data.first(ROWS), self.hidden.first(ROWS), self.layers[1].first(SIZES[1]))
        writes = (self.error.first(ROWS), loss.first(1))
        return Kernel("forward 1", "forward", reads, writes, body, 1, (1, 2))

    def _backward(self, layer: int, data: Buffer) -> Kernel:
        def body() -> Commit:
            found = gradients(
                data.tensor, self.hidden.tensor, self.error.tensor, self.layers[1].tensor
            )[layer]
            return _writing((self.grads[layer], found))

        reads = (
            data.first(ROWS), self.hidden.first(ROWS), self.error.first(ROWS),
            self.layers[1].first(SIZES[1]),
        )  # fmt: skip
        writes = (self.grads[layer].first(SIZES[layer]),)
        return Kernel(f"backward {layer}", "backward", reads, writes, body, 1, (1 - layer, 2))

    def _reduce(self, layer: int) -> Kernel:
        source, target = self.grads[layer], self.reduced[layer]

        def body() -> Commit:
            values = source.tensor.clone()
            return _writing((target, values))

        size = SIZES[layer]
        reads, writes = (source.first(size),), (target.first(size),)
        return Kernel(f"reduce {layer}", "reduce", reads, writes, body, 1, (1 - layer, 2))

    def _clip(self) -> Kernel:
        def body() -> Commit:
            scale = RATE * clipped([part.tensor for part in self.reduced]).view(1)
            return _writing((self.scale, scale))

        return Kernel("clip", "clip", self._all(self.reduced), (self.scale.first(1),), body)

    def _update(self) -> Kernel:
        def body() -> Commit:
            new = [
                layer.tensor - self.scale.tensor * part.tensor
                for layer, part in zip(self.layers, self.reduced, strict=True)
            ]
            return _writing(*zip(self.layers, new, strict=True))

        layers = self._all(self.layers)
        reads = (*self._all(self.reduced), self.scale.first(1), *layers)
        return Kernel("update", "update", reads, layers, body)

    def _all(self, buffers: list[Buffer]) -> tuple[Access, ...]:
        """An access to the whole of each layer's buffer."""
        return tuple(buffer.first(size) for buffer, size in zip(buffers, SIZES, strict=True))


def _writing(*pairs: tuple[Buffer, Tensor]) -> Commit:
    """What writes a kernel's results when it ends."""

    def commit() -> None:
        for buffer, values in pairs:
            buffer.tensor.copy_(values)

    return commit


def train(prefetch: str, reduce: str, forward: str) -> tuple[VirtualDevice, dict[str, float]]:
    """Six steps. `prefetch`: "yes": the next batch is loaded while this step runs; "no": once it
    is over. What comes of it: the last loss, and how far it is from that of training in order."""
    run = Training(reduce, forward)
    for step in range(STEPS):
        run.load(step)
        run.launch(step)
        if prefetch == "no" and run.updated is not None:
            run.updated.synchronize()
            run.log(step)
        elif step:
            run.log(step - 1)
    if prefetch == "yes":
        run.log(STEPS - 1)
    last, right = run.losses[-1], in_order()[-1]
    return run.device, {"loss": last, "loss_off_percent": 100 * abs(last / right - 1)}
