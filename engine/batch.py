"""A batch in flight: its rows, its slots and its three events."""

from typing import TYPE_CHECKING

import msgspec

from engine.device.api import Device, Event
from engine.device.buffer import Buffer
from engine.requests.request import Row

if TYPE_CHECKING:
    from engine.graphs import Captured


class Batch(msgspec.Struct, eq=False):
    """Batch number `step`. `rows` is the list results are matched with; `launched` what
    was really launched (the two differ only when `metadata` is shared). `graphs` are
    replayed for it in place of kernels, with `control` words of their own; `output` is what
    is copied out, where that is not its device slot's; `temporary` is to be freed.
    Where `steered`, its sampling waits for masks of its own, whose copies end with
    `masks_done`."""

    step: int
    rows: list[Row]
    device_slot: int
    host_slot: int
    h2d_done: Event
    compute_done: Event
    d2h_done: Event
    masks_done: Event | None = None
    steered: bool = False
    launched: tuple[Row, ...] = ()
    settled: bool = False
    graphs: "tuple[Captured, ...]" = ()
    control: tuple[int, ...] = ()
    output: Buffer | None = None
    temporary: Buffer | None = None
    taken: list[int] = []
    """tokens each row gave, once the host knows how many drafts were accepted"""
    tokens: int = 0

    def __post_init__(self) -> None:
        self.launched = tuple(self.rows)
        self.tokens = sum([row.count for row in self.launched])


def new_batch(
    device: Device, step: int, rows: list[Row], device_slots: int, host_slots: int
) -> Batch:
    """Batch `step` with its slots in rotation and events of its own."""
    return Batch(
        step,
        rows,
        step % device_slots,
        step % host_slots,
        device.event("h2d_done"),
        device.event("compute_done"),
        device.event("d2h_done"),
    )
