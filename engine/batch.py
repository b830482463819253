"""A batch in flight: its rows, its slots and its three events."""

from dataclasses import dataclass, field

from engine.device.api import Device, Event
from engine.request import Row


@dataclass(slots=True, eq=False)
class Batch:
    """Batch number `step`. `rows` is the list results are matched with; `launched` what
    was really launched (the two differ only when `metadata` is shared). Where `steered`, its
    sampling waits for masks of its own, whose copies end with `masks_done`."""

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
    tokens: int = field(init=False)

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
