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
from engine.carry import CarryOver, carry_over_for
from engine.device.api import Body, Commit, Device, Kernel
from engine.device.buffer import Buffer
from engine.drafting import Drafting, make_drafting
from engine.kv.pool import DROPPED
from engine.live_rows import put_live, write_live
from engine.model.decoder import Model, Places, write_kv
from engine.model.sampling import Sampler, steer
from engine.model.tokenizer import EOS
from engine.model.weights import ModelConfig
from engine.oplog import Access, rows_mask
from engine.requests.request import Row
from engine.requests.steering import STEERING
from engine.slots import Slots
from engine.views import Views
from engine.workloads.workload import Workload


@dataclass(slots=True)
class Placing:
    """Where the token rows stand, worked out anew only when a layer reads something new.

    Each layer reads its inputs from device memory when it starts, so one that is rewritten in
    the middle of a step hurts the layers that come after. On a GPU each works it out anew: the
    host would have to wait to hear that nothing has changed.
    """

    window: int = 0
    read: tuple[torch.Tensor, ...] = ()
    places: Places | None = None

    def __call__(self, model: Model, *inputs: torch.Tensor, pool: torch.Tensor) -> Places:
        """The places of `inputs`: token rows [T, 3 or more], block table [R, max_blocks]."""
        if not model.looks:
            tokens, table = inputs
            return model.place(tokens[:, 0], tokens[:, 1], table, pool, self.window)
        if self.places is None or not all(map(torch.equal, inputs, self.read)):
            self.read = tuple(tensor.clone() for tensor in inputs)
            tokens, table = self.read
            self.places = model.place(tokens[:, 0], tokens[:, 1], table, pool, self.window)
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
    carry_over: CarryOver
    ring: Buffer
    ids: Buffer
    hidden: Buffer
    logits: Buffer
    kv: list[Buffer]
    placing: Placing
    mask_ended: bool = False
    drafting: Drafting | None = None

    def kernels(self, batch: Batch, ring_start: int) -> list[Kernel]:
        """The kernels of one step in launch order; its tokens go to the ring at `ring_start`."""
        computes = self.model is not None
        columns = max(len(row.request.blocks) for row in batch.launched) if computes else 0
        views = Views(
            self.slots.device_inputs[batch.device_slot].buffers, batch.tokens,
            len(batch.launched), columns, ring_start, self.ring.info.rows, steered=batch.steered,
        )  # fmt: skip
        out = batch.output or self.slots.device_outputs[batch.device_slot]
        bodies = self.bodies(views, out)
        return self.launches(views, out, batch.launched, bodies, ring_start)

    def launches(
        self,
        views: Views,
        out: Buffer,
        launched: Sequence[Row],
        bodies: dict[str, Body],
        ring_start: int,
    ) -> list[Kernel]:
        """Kernels for the rows `launched`, each with the rows of memory it touches."""
        size, count, drafting = views.tokens, len(launched), self.drafting
        given = views if drafting is None else drafting.views(views)
        ids, hidden = self.ids.first(size), self.hidden.first(size)
        logits = self.logits.first(given.samples)
        places, sampling, control = given.read("places"), given.read("sampling"), views.control()
        table = views.read("block_table")
        carried, used, written = self.touched(launched)
        masked = (ids,) if self.mask_ended else ()
        kernels = [
            Kernel(
                "carry", "carry",
                (views.read("tokens"), views.read("places"), self.ring.rows(carried), *control),
                self.ids.only_first(size),
                bodies.get("carry"), size,
            ),
            Kernel(
                "embed", "embed", self.ids.only_first(size), self.hidden.only_first(size),
                bodies.get("embed"), size,
            ),
        ]  # fmt: skip
        if drafting is not None:
            kernels.insert(1, drafting.place(views, launched, self.ids, bodies))
        for index, kv in enumerate(self.kv):
            layer = kv.info.label
            kernels.append(
                Kernel(
                    layer, "layer",
                    (hidden, places, table, kv.rows(used), *masked, *control),
                    (hidden, kv.rows(written)),
                    bodies.get(layer), size, (index, len(self.kv)),
                )
            )  # fmt: skip
        sampled: tuple[Access, ...] = (
            views.part_of(out, count),
            self.ring.rows(views.ring_mask(ring_start, count)),
        )
        if drafting is not None:
            verified, sampled = sampled, (drafting.sampled.first(given.samples),)
        kernels.append(Kernel("head", "head", (hidden, sampling), (logits,), bodies.get("head")))
        steering = [given.read(label) for label in STEERING] if views.steered else ()
        reads = (logits, sampling, *steering, *masked, *control)
        kernels.append(Kernel("sample", "sample", reads, sampled, bodies.get("sample")))
        if drafting is not None:
            kernels += drafting.verify_and_draft(views, launched, self.ids, verified, bodies)
        return kernels

    def touched(self, launched: Sequence[Row]) -> tuple[int, int, int]:
        """Masks of the ring's places read, and of the KV blocks read (all of each row's
        context) and written (those of its new tokens)."""
        size, windowed = self.workload.block_size, self.workload.window > 0
        carried = used = written = 0
        for row in launched:
            request, start = row.request, row.start
            used |= self._visible(row) if windowed else request.block_mask
            written |= 1 << request.blocks[start // size]
            if row.carry >= 0:
                carried |= 1 << row.carry
            if row.count > 1:
                last = (start + row.count - 1) // size
                written |= rows_mask(request.blocks[start // size + 1 : last + 1])
        return carried, used, written

    def _visible(self, row: Row) -> int:
        """Mask of the blocks within the window of a row's first token: the rest is masked out.

        Where drafts are in flight before it, it may stand as far back as the tokens known now.
        """
        request, start = row.request, row.start
        if self.drafting is not None:
            start = min(start, len(request.prompt) + len(request.tokens) - 1)
        first = max(0, start - self.workload.window + 1) // self.workload.block_size
        return rows_mask(block for block in request.blocks[first:] if block != DROPPED)

    def bodies(self, views: Views, out: Buffer) -> dict[str, Body]:
        """What the kernels compute, by their names; nothing in a timing-only run."""
        model = self.model
        if model is None:
            return {}
        bodies, raw = {"carry": self._carry_body(views)}, views
        if self.drafting is not None:
            bodies |= self.drafting.bodies(raw, self.ids, out, self.ring)
            views, out = self.drafting.views(raw), self.drafting.sampled
        bodies |= {
            kv.info.label: self._layer_body(model, views, index) for index, kv in enumerate(self.kv)
        }
        return bodies | {
            "embed": self._embed_body(model, views),
            "head": self._head_body(model, views),
            "sample": self._sample_body(views, out),
        }

    def _carry_body(self, views: Views) -> Body:
        def body() -> Commit:
            source = views.places()[:, 2]
            result = self.carry_over(views.token_ids(), source, self.ring.tensor)
            return lambda: write_live(self.ids.tensor[: views.tokens], result, None)

        return body

    def _embed_body(self, model: Model, views: Views) -> Body:

        def body() -> Commit:
            result = model.embed(self.ids.tensor[: views.tokens])
            return lambda: write_live(self.hidden.tensor[: views.tokens], result, None)

        return body

    def _layer_body(self, model: Model, views: Views, index: int) -> Body:

        def body() -> Commit:
            pool = self.kv[index].tensor
            places = self.placing(model, views.places(), views.table(), pool=pool)
            hidden, live = self.hidden.tensor[: views.tokens], views.live()
            result, kv_new = model.layer(index, hidden, places, pool)
            if self.mask_ended:
                going_on = self.ids.tensor[: views.tokens] != EOS
                live = going_on if live is None else live & going_on

            def commit() -> None:
                write_live(hidden, result, None)
                write_kv(pool, places, kv_new, live)

            return commit

        return body

    def _head_body(self, model: Model, views: Views) -> Body:

        def body() -> Commit:
            last = views.sampling()[:, 0]
            result = model.head(self.hidden.tensor[: views.tokens], last)
            return lambda: write_live(self.logits.tensor[: views.samples], result, None)

        return body

    def _sample_body(self, views: Views, out: Buffer) -> Body:
        target = slice(views.first, views.first + views.samples)

        def body() -> Commit:
            params, places, live = views.sampling(), views.ring_places(), views.live()
            logits = self.logits.tensor[: views.samples]
            if views.steered:
                logits = steer(logits, *map(views.for_each_sample, STEERING))
            tokens = self.sampler(logits, params[:, 1], params[:, 2])
            if self.mask_ended:
                last = self.ids.tensor[params[:, 0].clamp(0, views.tokens - 1)]
                tokens = torch.where(last == EOS, EOS, tokens)
            result = logits.clone() if out.info.label == "logits" else tokens

            def commit() -> None:
                write_live(out.tensor[target], result, live)
                if places is not None:
                    put_live(self.ring.tensor, places, tokens, live)

            return commit

        return body


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
    drafts: int = 0,
) -> Forward:
    """Allocate what the kernels share and hold it together with the model.

    `model` is None in a timing-only run, `drafts` the most that a decode row has.
    """
    floats = torch.float64 if model is None else model.dtype
    samples = workload.batch * (1 + drafts)
    kv_shape: Sequence[int] = (
        workload.kv_blocks, workload.block_size, 2, config.n_kv_heads, config.head_dim,
    )  # fmt: skip
    return Forward(
        model,
        slots,
        workload,
        sampler,
        carry_over_for(carry),
        device.buffer("carry ring", "tokens", (ring_rows,)),
        device.buffer("activations", "ids", (workload.max_batched_tokens,)),
        device.buffer(
            "activations", "hidden", (workload.max_batched_tokens, config.dim), dtype=floats
        ),
        device.buffer("activations", "logits", (samples, config.vocab), dtype=floats),
        [
            device.buffer("kv blocks", f"layer {i}", kv_shape, dtype=floats)
            for i in range(config.n_layers)
        ],
        Placing(workload.window),
        mask_ended,
        make_drafting(device, workload, drafts) if drafts else None,
    )
