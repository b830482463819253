"""Does work on the legacy default stream stall other streams, or do they race it? Measured.

The default stream sleeps and then writes a number; another stream, which waits for nothing, reads
it. It reads the number where the default stream holds it up, and what was there before where the
two race.
"""

from contextlib import closing

import torch

from engine.device.api import Body, Commit, Kernel, Stream
from engine.device.cost import MS, CostModel
from engine.device.settings import Settings
from engine.devices import DEVICES
from engine.oplog import StreamKind

SLEPT_CYCLES = 200_000_000
"""A tenth of a second, about: on a GPU."""

SLOW = CostModel(kernel_ns={"layer": 100 * MS})
"""Kernels as slow as that on the other devices."""


def reads_what_was_written(device_name: str, kind: StreamKind) -> bool:
    """True where a stream of this kind was held up until the default stream had written."""
    device_kind = DEVICES[device_name]
    where = device_kind.where
    memory, seen = (torch.zeros(1, device=where) for _ in range(2))

    def write() -> Commit:
        if where != "cpu":  # elsewhere the cost model makes it slow
            torch.cuda._sleep(SLEPT_CYCLES)
        return lambda: _set(memory, 1)

    def read() -> Commit:
        value = memory.clone()
        return lambda: _set(seen, value)

    if where != "cpu":
        torch.cuda.synchronize()  # the zeros are there, whichever stream reads them
    with closing(device_kind.make(Settings(SLOW))) as device:
        first, second = device.stream("default", StreamKind.DEFAULT), device.stream("other", kind)
        _launch(first, "write late", write)
        _launch(second, "read", read)
        device.finish()
    return bool(seen.item())


def _set(tensor: torch.Tensor, value: torch.Tensor | int) -> None:
    tensor[:] = value


def _launch(stream: Stream, name: str, body: Body) -> None:
    stream.launch(Kernel(name, "layer", (), (), body))
