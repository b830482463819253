"""Slots: the pairs of host and device IO buffers that batches take in turn.

Input tensors of one slot (T token rows, R request rows, B blocks a request):
`tokens` [T] token ids · `places` [T, 3] position, request row, place in the carry ring ·
`sampling` [R, 3] token row to sample, request seed, output position ·
`block_table` [R, B]. Batches that replay a graph have `control` words beside them (see
`engine.graphs`). With drafts `sampling` is [R, 5]: seat and number of drafts, too. The output is
`out` [R], or the `logits` [R, V] when the host samples, or with k drafts [R, 3 + 2k]:
accepted tokens, proposed drafts, tokens, the next drafts.
"""

from dataclasses import dataclass
from typing import Any

import torch

from engine.batch import Batch
from engine.device.api import Device
from engine.device.buffer import Buffer
from engine.model.tokenizer import VOCAB
from engine.workloads.workload import Workload

INPUTS = ("tokens", "places", "sampling", "block_table")
"""The input tensors in the order in which they are copied."""

DTYPES = {"mask": torch.bool, "penalties": torch.float64}
"""Tensors that hold no int64."""


def inputs_of(batch: Batch) -> tuple[str, ...]:
    """The input tensors of a batch in the order in which they are copied."""
    return ("control", *INPUTS) if batch.graphs else INPUTS


@dataclass(frozen=True, slots=True)
class InputSlot:
    """The input tensors of one slot, on one side."""

    buffers: dict[str, Buffer]

    def rows_used(self, label: str, batch: Batch) -> int:
        """How many rows of a tensor this batch fills."""
        if label == "control":
            return len(batch.control)
        return batch.tokens if label in ("tokens", "places") else len(batch.launched)


@dataclass(frozen=True, slots=True)
class Slots:
    """All IO buffers of an engine."""

    host_inputs: list[InputSlot]
    device_inputs: list[InputSlot]
    host_outputs: list[Buffer]
    device_outputs: list[Buffer]
    out_shape: tuple[int, ...]
    """of an output; its first dimension counts request rows"""


def make_slots(
    device: Device,
    workload: Workload,
    device_slots: int,
    host_slots: int,
    blocks: int,
    *,
    pinned: bool,
    logits_out: int = 0,
    drafts: int = 0,
    steered: bool = False,
    graphs: bool = False,
) -> Slots:
    """Allocate the buffers. `logits_out` is the vocabulary size when the host samples;
    `drafts` is the most that a decode row has; `steered` adds the tensors of
    `engine.requests.steering` to the inputs, `graphs` control words."""
    samples = workload.batch * (1 + drafts)
    shapes = {
        "tokens": (workload.max_batched_tokens,),
        "places": (workload.max_batched_tokens, 3),
        "sampling": (workload.batch, 5 if drafts else 3),
        "block_table": (workload.batch, blocks),
    }
    if steered:
        shapes |= {
            "mask": (samples, VOCAB),
            "history": (samples, VOCAB),
            "penalties": (samples, 3),
        }
    if graphs:
        shapes |= {"control": (2,)}
    columns = logits_out or (3 + 2 * drafts if drafts else 0)
    out_shape = (workload.batch, columns) if columns else (workload.batch,)
    dtype = torch.float64 if logits_out else torch.int64
    label = "logits" if logits_out else "out"

    def inputs(side: str, slot: int, on_host: bool) -> InputSlot:
        return InputSlot(
            {
                name: device.buffer(
                    f"{side} inputs",
                    name,
                    shape,
                    on_host=on_host,
                    slot=slot,
                    pinned=pinned,
                    dtype=DTYPES.get(name, torch.int64),
                )  # fmt: skip
                for name, shape in shapes.items()
            }
        )

    return Slots(
        [inputs("host", slot, True) for slot in range(host_slots)],
        [inputs("device", slot, False) for slot in range(device_slots)],
        [
            device.buffer(
                "host outputs", label, out_shape,
                on_host=True, slot=slot, pinned=pinned, dtype=dtype,
            )
            for slot in range(host_slots)
        ],
        [
            device.buffer("device outputs", label, out_shape, slot=slot, dtype=dtype)
            for slot in range(device_slots)
        ],
        out_shape,
    )  # fmt: skip


def input_values(batch: Batch, slot: InputSlot, timing_only: bool) -> list[tuple[Buffer, int, Any]]:
    """What the host writes into a slot for this batch: (buffer, rows, values)."""
    labels = inputs_of(batch)
    values: dict[str, Any] = dict.fromkeys(labels) if timing_only else _pack(batch, slot)
    return [(slot.buffers[label], slot.rows_used(label, batch), values[label]) for label in labels]


def _pack(batch: Batch, slot: InputSlot) -> dict[str, Any]:
    tokens: list[int] = []
    places: list[tuple[int, int, int]] = []
    sampling: list[tuple[int, ...]] = []
    width = slot.buffers["block_table"].tensor.shape[1]
    columns = slot.buffers["sampling"].tensor.shape[1]
    tables: list[list[int]] = []
    for number, row in enumerate(batch.launched):
        request = row.request
        tokens += row.token_ids
        places.append((row.start, number, row.carry))
        places += [(row.start + i, number, -1) for i in range(1, row.count)]
        entry = (len(tokens) - 1, request.seed, row.output, request.seat, row.drafts)
        sampling.append(entry[:columns])
        tables.append(request.blocks + [0] * (width - len(request.blocks)))
    return {
        "tokens": tokens, "places": places, "sampling": sampling, "block_table": tables,
        "control": batch.control,
    }  # fmt: skip
