"""The forward pass as the kernels the host launches: carry-over, embed, layers, head, sample.

Each kernel names the rows it reads and writes, and has a body that reads when the kernel
starts and returns the commit that writes when it ends. Bodies read everything that
decides what is computed (tokens, positions, block tables) from device memory: stale
device memory computes stale results.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import torch

from engine.batch import Batch
from engine.device.api import Body, Buffer, Commit, Device, Kernel
from engine.model import Model, Places, write_kv
from engine.model_weights import ModelConfig
from engine.oplog import row_mask, rows_mask
from engine.sampling import Sampler
from engine.slots import Slots
from engine.tokenizer import EOS
from engine.workload import Workload


@dataclass(slots=True)
class Placing:
    """Where the token rows stand, worked out anew only when a layer reads something new.

    Each layer reads its inputs from device memory when it starts, so one that is rewritten in
    the middle of a step hurts the layers that come after.
    """

    read: tuple[torch.Tensor, ...] = ()
    places: Places | None = None

    def __call__(self, model: Model, *inputs: torch.Tensor, pool: torch.Tensor) -> Places:
        """The places of `inputs`: token rows [T, 3 or more], block table [R, max_blocks]."""
        if self.places is None or not all(map(torch.equal, inputs, self.read)):
            self.read = tuple(tensor.clone() for tensor in inputs)
            tokens, table = self.read
            self.places = model.place(tokens[:, 0], tokens[:, 1], table, pool)
        return self.places


@dataclass(slots=True)
class Forward:
    """Builds a batch's kernels. Buffers that belong to no slot are shared by all batches:
    the compute stream runs one batch after the other. With `mask_ended` a row whose token is
    EOS writes no KV and samples EOS again: its request has ended, the host knows it later."""

    model: Model | None
    slots: Slots
    workload: Workload
    sampler: Sampler
    carry: str
    ring: Buffer
    ids: Buffer
    hidden: Buffer
    logits: Buffer
    kv: list[Buffer]
    placing: Placing
    mask_ended: bool = False

    def kernels(self, batch: Batch, ring_start: int) -> list[Kernel]:
        """The kernels of one step in launch order; its tokens go to the ring at `ring_start`."""
        inputs = self.slots.device_inputs[batch.device_slot].buffers
        size, count = batch.tokens, len(batch.launched)
        tokens, rows = row_mask(0, size), row_mask(0, count)
        token_ids, places = inputs["tokens"].rows(tokens), inputs["places"].rows(tokens)
        sampling, table = inputs["sampling"].rows(rows), inputs["block_table"].rows(rows)
        ids, hidden, logits = (
            self.ids.rows(tokens), self.hidden.rows(tokens), self.logits.rows(rows),
        )  # fmt: skip
        carried, used, written = self._touched(batch)
        masked = (ids,) if self.mask_ended else ()
        bodies = self._bodies(batch, inputs, ring_start)
        kernels = [
            Kernel(
                "carry", "carry",
                (token_ids, places, self.ring.rows(carried)), (ids,),
                bodies.get("carry"), size,
            ),
            Kernel("embed", "embed", (ids,), (hidden,), bodies.get("embed"), size),
        ]  # fmt: skip
        for index, kv in enumerate(self.kv):
            kernels.append(
                Kernel(
                    f"layer {index}", "layer",
                    (hidden, places, table, kv.rows(used), *masked), (hidden, kv.rows(written)),
                    bodies.get(f"layer {index}"), size, (index, len(self.kv)),
                )
            )  # fmt: skip
        out = self.slots.device_outputs[batch.device_slot]
        sampled = (out.rows(rows), self.ring.rows(self._ring_mask(ring_start, count)))
        kernels.append(Kernel("head", "head", (hidden, sampling), (logits,), bodies.get("head")))
        kernels.append(
            Kernel("sample", "sample", (logits, sampling, *masked), sampled, bodies.get("sample"))
        )
        return kernels

    def _ring_mask(self, start: int, count: int) -> int:
        size, stop = self.ring.info.rows, start + count
        if stop <= size:
            return row_mask(start, stop)
        return rows_mask(place % size for place in range(start, stop))

    def _touched(self, batch: Batch) -> tuple[int, int, int]:
        """Masks of the ring's places read, and of the KV blocks read (all of each row's
        context) and written (those of its new tokens)."""
        size = self.workload.block_size
        carried = used = written = 0
        for row in batch.launched:
            blocks, first = row.request.blocks, row.start // size
            if row.carry >= 0:
                carried |= 1 << row.carry
            used |= row.request.block_mask
            written |= 1 << blocks[first]
            if row.count > 1:
                last = (row.start + row.count - 1) // size
                written |= rows_mask(blocks[first + 1 : last + 1])
        return carried, used, written

    def _bodies(self, batch: Batch, inputs: dict[str, Buffer], ring_start: int) -> dict[str, Body]:
        """What the kernels compute, by their names; nothing in a timing-only run."""
        model = self.model
        if model is None:
            return {}
        out = self.slots.device_outputs[batch.device_slot]
        bodies = {
            f"layer {index}": self._layer_body(model, batch, inputs, index)
            for index in range(len(self.kv))
        }
        return bodies | {
            "carry": self._carry_body(batch, inputs),
            "embed": self._embed_body(model, batch),
            "head": self._head_body(model, batch, inputs),
            "sample": self._sample_body(batch, inputs, out, ring_start),
        }

    def _carry_body(self, batch: Batch, inputs: dict[str, Buffer]) -> Body:
        add = self.carry.startswith("add")

        def body() -> Commit:
            tokens = inputs["tokens"].tensor[: batch.tokens]
            source = inputs["places"].tensor[: batch.tokens, 2]
            carried = self.ring.tensor[source.clamp(0, self.ring.info.rows - 1)]
            mask = source >= 0
            result = tokens + carried * mask if add else torch.where(mask, carried, tokens)
            return lambda: _write(self.ids.tensor[: batch.tokens], result)

        return body

    def _embed_body(self, model: Model, batch: Batch) -> Body:

        def body() -> Commit:
            result = model.embed(self.ids.tensor[: batch.tokens])
            return lambda: _write(self.hidden.tensor[: batch.tokens], result)

        return body

    def _layer_body(
        self, model: Model, batch: Batch, inputs: dict[str, Buffer], index: int
    ) -> Body:
        columns = max(len(row.request.blocks) for row in batch.launched)

        def body() -> Commit:
            raw = inputs["places"].tensor[: batch.tokens]
            table = inputs["block_table"].tensor[: len(batch.launched), :columns]
            pool = self.kv[index].tensor
            places = self.placing(model, raw, table, pool=pool)
            hidden = self.hidden.tensor[: batch.tokens]
            result, kv_new = model.layer(index, hidden, places, pool)
            written = places
            if self.mask_ended:
                live = self.ids.tensor[: batch.tokens] != EOS
                written, kv_new = places._replace(in_pool=places.in_pool[live]), kv_new[live]

            def commit() -> None:
                _write(hidden, result)
                write_kv(pool, written, kv_new)

            return commit

        return body

    def _head_body(self, model: Model, batch: Batch, inputs: dict[str, Buffer]) -> Body:
        count = len(batch.launched)

        def body() -> Commit:
            last = inputs["sampling"].tensor[:count, 0]
            result = model.head(self.hidden.tensor[: batch.tokens], last)
            return lambda: _write(self.logits.tensor[:count], result)

        return body

    def _sample_body(
        self, batch: Batch, inputs: dict[str, Buffer], out: Buffer, ring_start: int
    ) -> Body:
        count = len(batch.launched)
        places = [(ring_start + row) % self.ring.info.rows for row in range(count)]

        def body() -> Commit:
            params = inputs["sampling"].tensor[:count]
            logits = self.logits.tensor[:count]
            tokens = self.sampler(logits, params[:, 1], params[:, 2])
            if self.mask_ended:
                last = self.ids.tensor[params[:, 0].clamp(0, batch.tokens - 1)]
                tokens = torch.where(last == EOS, EOS, tokens)
            result = logits.clone() if out.info.label == "logits" else tokens

            def commit() -> None:
                _write(out.tensor[:count], result)
                self.ring.tensor[places] = tokens

            return commit

        return body


def _write(target: torch.Tensor, values: torch.Tensor) -> None:
    target.copy_(values)


def make_forward(
    device: Device,
    model: Model | None,
    config: ModelConfig,
    slots: Slots,
    workload: Workload,
    sampler: Sampler,
    carry: str,
    ring_rows: int,
    *,
    mask_ended: bool = False,
) -> Forward:
    """Allocate what the kernels share and hold it together with the model.

    `model` is None in a timing-only run.
    """
    floats = torch.float64
    kv_shape: Sequence[int] = (
        workload.kv_blocks, workload.block_size, 2, config.n_kv_heads, config.head_dim,
    )  # fmt: skip
    return Forward(
        model,
        slots,
        workload,
        sampler,
        carry,
        device.buffer("carry ring", "tokens", (ring_rows,)),
        device.buffer("activations", "ids", (workload.max_batched_tokens,)),
        device.buffer(
            "activations", "hidden", (workload.max_batched_tokens, config.dim), dtype=floats
        ),
        device.buffer("activations", "logits", (workload.batch, config.vocab), dtype=floats),
        [
            device.buffer("kv blocks", f"layer {i}", kv_shape, dtype=floats)
            for i in range(config.n_layers)
        ],
        Placing(),
        mask_ended,
    )
