"""Swap: a preempted request's KV blocks, copied to host memory and back.

Out on the D2H stream, behind the last batch that was launched; in on the H2D stream, before
the inputs of the batch in which the request goes on, so that h2d_done stands for both. Copies
in are the KV cache's second writer: the compute stream's order does not protect a block from
them, only the release of blocks at the right moment does.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import torch

from engine.batch import Batch
from engine.device.api import Device, Stream
from engine.device.buffer import Buffer
from engine.kv.pool import DROPPED
from engine.requests.request import Request


@dataclass(slots=True)
class Swapper:
    """`kv` are the layers' buffers on the device, `host` their rows in host memory."""

    device: Device
    h2d: Stream
    d2h: Stream
    kv: list[Buffer]
    host: list[Buffer]
    free: list[int] = field(default_factory=list)
    latest: Batch | None = None
    arriving: list[tuple[Batch, list[int]]] = field(default_factory=list)

    def swap_out(self, request: Request, blocks: list[int]) -> bool:
        """Copy the first `blocks` of a request to host memory; False: nothing there, or no room."""
        self._collect()
        held = [(number, block) for number, block in enumerate(blocks) if block != DROPPED]
        if not held or len(held) > len(self.free):
            return False
        rows = [self.free.pop() for _ in held]
        if self.latest is not None:
            self.d2h.wait(self.latest.compute_done)
        self._copy(self.d2h, self.host, rows, self.kv, [block for _, block in held])
        request.swap_done = self.device.event("swap_done")
        self.d2h.record(request.swap_done)
        request.swapped = [(number, row) for (number, _), row in zip(held, rows, strict=True)]
        return True

    def swap_in(self, batch: Batch) -> None:
        """Copy back the blocks of requests that go on in this batch."""
        self.latest = batch
        for request in [row.request for row in batch.launched if row.request.swapped]:
            if request.swap_done is not None:
                self.h2d.wait(request.swap_done)
            rows = [row for _, row in request.swapped]
            blocks = [request.blocks[number] for number, _ in request.swapped]
            self._copy(self.h2d, self.kv, blocks, self.host, rows)
            request.swapped, request.swap_done = [], None
            self.arriving.append((batch, rows))

    def forget(self, request: Request) -> None:
        """The request will not come back: its rows in host memory are free."""
        self.free += [row for _, row in request.swapped]
        request.swapped = []

    def _collect(self) -> None:
        """Take back the host rows whose copies in are known to be over."""
        for batch, rows in self.arriving:
            if batch.settled:
                self.free += rows
        self.arriving = [pair for pair in self.arriving if not pair[0].settled]

    def _copy(
        self, stream: Stream, dst: Sequence[Buffer], to_rows: list[int],
        src: Sequence[Buffer], from_rows: list[int],
    ) -> None:  # fmt: skip
        for part, (target, source) in enumerate(zip(dst, src, strict=True)):
            stream.copy_rows(target, to_rows, source, from_rows, (part, len(dst)))


def make_swapper(device: Device, h2d: Stream, d2h: Stream, kv: list[Buffer]) -> Swapper:
    """A swapper with as much host memory as the KV cache has on the device."""
    host = [
        device.buffer(
            "host swap", buffer.info.label, _shape(buffer), on_host=True, dtype=torch.float64
        )
        for buffer in kv
    ]
    return Swapper(device, h2d, d2h, kv, host, list(range(kv[0].info.rows)))


def _shape(buffer: Buffer) -> tuple[int, ...]:
    """A KV buffer's shape; in a timing-only run, which has no data, one of as many bytes."""
    if buffer.data is not None:
        return tuple(buffer.data.shape)
    return buffer.info.rows, buffer.info.nbytes // buffer.info.rows // torch.float64.itemsize
