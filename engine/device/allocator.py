"""The rule by which freed device memory is handed out again.

PyTorch's caching allocator gives a freed block back at once to the stream that owned
it: work of that stream is in order, so the next owner cannot overtake the last one.
It knows nothing of other streams unless it is told (`record_stream`); then it keeps
the block until what those streams had queued at the time of the free is done.

What this module does not know: time, bytes' contents, who asks.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

import torch

from engine.device.api import Stream
from engine.device.buffer import Buffer

Reached = Callable[[], bool]
"""Answers whether a point in a stream has been passed by now."""


@dataclass(slots=True)
class Block:
    """A piece of device memory. `home` is the stream it was allocated for."""

    index: int
    nbytes: int
    home: int
    used_by: set[int] = field(default_factory=set)
    free: bool = False


@dataclass(slots=True)
class CachingAllocator:
    """Blocks in use and blocks to hand out again. `point(stream)` marks a stream's queue."""

    point: Callable[[int], Reached]
    blocks: list[Block] = field(default_factory=list)
    cached: list[Block] = field(default_factory=list)
    held: list[tuple[Block, list[Reached]]] = field(default_factory=list)

    def take(self, nbytes: int, stream: int) -> Block | None:
        """The smallest cached block of this stream that is large enough, or None: pool cold."""
        self._release_held()
        fitting = [b for b in self.cached if b.home == stream and b.nbytes >= nbytes]
        if not fitting:
            return None
        block = min(fitting, key=lambda b: (b.nbytes, b.index))
        self.cached.remove(block)
        block.free = False
        return block

    def grow(self, nbytes: int, stream: int) -> Block:
        """A new block from the driver."""
        block = Block(len(self.blocks), nbytes, stream)
        self.blocks.append(block)
        return block

    def give_back(self, block: Block) -> None:
        """Free a block. Raises ValueError when it is free already."""
        if block.free:
            raise ValueError(f"device memory block {block.index} is freed twice")
        block.free = True
        if block.used_by:
            self.held.append((block, [self.point(stream) for stream in sorted(block.used_by)]))
            block.used_by = set()
        else:
            self.cached.append(block)

    def record_stream(self, block: Block, stream: int) -> None:
        """Note that `stream` works on the block too."""
        if stream != block.home:
            block.used_by.add(stream)

    def _release_held(self) -> None:
        still_held = []
        for block, points in self.held:
            if all(reached() for reached in points):
                self.cached.append(block)
            else:
                still_held.append((block, points))
        self.held = still_held


class Driver(Protocol):
    """Where new memory comes from."""

    def cold_allocation(self) -> None: ...

    def buffer(
        self, resource: str, label: str, shape: tuple[int, ...], *, dtype: torch.dtype
    ) -> Buffer: ...


class Temporaries:
    """Buffers on top of the caching allocator: reused memory is the same buffer again."""

    def __init__(self, driver: Driver, point: Callable[[int], Reached]) -> None:
        self._driver = driver
        self._allocator = CachingAllocator(point)
        self._buffers: dict[int, Buffer] = {}
        self._blocks: dict[int, Block] = {}

    def allocate(self, nbytes: int, stream: Stream, label: str) -> Buffer:
        """Memory for a stream, cached or new."""
        block = self._allocator.take(nbytes, stream.info.index)
        if block is None:
            self._driver.cold_allocation()
            block = self._allocator.grow(nbytes, stream.info.index)
            buffer = self._driver.buffer("temporaries", label, (nbytes,), dtype=torch.uint8)
            self._buffers[block.index] = buffer
            self._blocks[buffer.info.index] = block
        return self._buffers[block.index]

    def free(self, buffer: Buffer) -> None:
        """Give memory back. Raises ValueError when it is not an allocation or freed twice."""
        self._allocator.give_back(self._block_of(buffer))

    def record_stream(self, buffer: Buffer, stream: Stream) -> None:
        """Note that another stream uses this memory too."""
        self._allocator.record_stream(self._block_of(buffer), stream.info.index)

    def _block_of(self, buffer: Buffer) -> Block:
        if buffer.info.index not in self._blocks:
            raise ValueError(f"{buffer.info.label} does not come from the allocator")
        return self._blocks[buffer.info.index]
