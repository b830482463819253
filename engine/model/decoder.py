"""The decoder as the devices run it: embed, each layer, head and greedy sampling, one kernel each.

Llama's mathematics: RMSNorm before each half of a layer, rotary positions, grouped
query attention (several query heads share one key/value head), SwiGLU.

A step is a flat list of T token rows that belong to R sequence rows. One row is a
decode step, several rows with ascending positions are a prefill chunk, and both may
stand side by side. Keys and values live in blocks; `block_table` says which blocks a
sequence row owns, in order. A layer reads the pool and returns what has to be written
into it (by `write_kv`), because a kernel writes when it ends. No kernel loops over
requests or writes into an argument.

Two properties the lab rests on:

* *Batch invariance.* The weights are stored as fp32 and computed in fp64. How a matrix
  product is split depends on its shape, so a neighbour in the batch may change the last
  bits of a logit: by 6e-14 at most over 5,157 tokens of 24 prompts in four batchings, where
  the best logit led by at least 0.13. So it cannot turn one token into another. (In fp32
  a product of one row is about 2e-5 off. Padding every step to one fixed shape would
  give equal bits too, but would pay for the largest step each time.)
* *Safe under garbage.* A broken mode may hand over stale or half-overwritten tokens,
  positions, rows and tables. Every index is clamped into range: the result is wrong, as
  it would be on a GPU, but nothing raises. Pools start as zeros, never as raw memory: a
  NaN behind the mask would still reach the result.

The kernels run where the weights are. On a GPU none of them looks at what it computes with, for
the host would have to wait for the answer; on a CPU they may, where that saves work (`looks`).

What this module does not do: loading (`engine.model.weights`), requests, scheduling,
carry-over, deciding when a write lands.
"""

import math
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor

from engine.live_rows import put_live
from engine.model.weights import DEFAULT_PATH, ModelConfig, Weights, load

__all__ = ["LayerOutput", "Model", "ModelConfig", "Places", "greedy", "load_model", "write_kv"]

_EPSILON = 1e-6
"""Keeps a row of zeros from becoming NaN."""


class Places(NamedTuple):
    """Where the token rows of a step stand: what follows from positions, rows and block table.

    The same for all layers, as long as the three stay the same in device memory.
    """

    positions: Tensor
    """[T] int64"""
    blocks: Tensor
    """[R * max_blocks] int64, the block table in one line"""
    in_cache: Tensor
    """[T] int64, the place of each token row in the copied caches of the R sequence rows"""
    in_pool: Tensor
    """[T] int64, its place in the pool, which counts on through the blocks"""
    visible: Tensor
    """[T, 1, 1, span] bool: the positions up to its own, as far back as the window reaches"""
    rows: Tensor | None
    """[T] int64, the sequence row of each; None where token row t belongs to sequence row t"""
    span: int
    """Positions of a copied cache: max_blocks * block_size"""
    window: int = 0
    """How many positions a token row sees, its own included (0: all before it)"""


class LayerOutput(NamedTuple):
    """What one layer gives back; the caller writes keys and values into the pool."""

    hidden: Tensor
    """[T, D]"""
    kv_new: Tensor
    """[T, 2, n_kv_heads, head_dim]: keys, then values"""


class Model:
    """A decoder with fixed weights; its methods are the kernels and change nothing."""

    def __init__(
        self,
        config: ModelConfig,
        weights: Weights,
        dtype: torch.dtype = torch.float64,
        looks: bool | None = None,
    ) -> None:
        """Cast `weights` to `dtype`, in which everything is computed, the KV cache too.

        `looks`: may kernels look at their data to save work (None: on a CPU)?
        """
        self.config = config
        self.dtype = dtype
        self.device = weights.embed.device
        self.looks = self.device.type == "cpu" if looks is None else looks
        self.weights = weights.to(dtype)
        self._turns = _rotary_table(config, dtype).to(self.device)

    def embed(self, tokens: Tensor) -> Tensor:
        """[T] int64 token ids -> [T, D] hidden states."""
        return self.weights.embed.index_select(0, tokens.clamp(0, self.config.vocab - 1))

    def place(
        self, positions: Tensor, rows: Tensor, block_table: Tensor, pool: Tensor, window: int = 0
    ) -> Places:
        """Where T token rows stand in a pool like `pool`.

        positions [T] and rows [T] int64; block_table [R, max_blocks] int64; pool [num_blocks,
        block_size, ...]. A layer's work grows with max_blocks, so hand over no more columns
        than the longest sequence needs; entries past a sequence's own blocks may hold anything.
        With a sliding `window` a row sees that many positions, its own included (0: all).
        """
        size = pool.shape[1]
        span = block_table.shape[1] * size
        positions = positions.clamp(0, min(span, self.config.max_positions) - 1)
        rows = rows.clamp(0, block_table.shape[0] - 1)
        blocks = block_table.clamp(0, pool.shape[0] - 1).flatten()
        in_cache = torch.add(positions, rows, alpha=span)
        in_pool = blocks.index_select(0, in_cache // size) * size + in_cache % size
        own = positions[:, None, None, None]
        columns = torch.arange(span, device=own.device)
        visible = columns <= own
        if window:
            visible &= columns > own - window
        # In a decode step a sequence's copied cache stands where its one token row does.
        aligned = self.looks and torch.equal(rows, torch.arange(block_table.shape[0]))
        return Places(
            positions, blocks, in_cache, in_pool, visible, None if aligned else rows, span, window
        )

    def layer(self, index: int, hidden: Tensor, places: Places, pool: Tensor) -> LayerOutput:
        """Layer `index` over T token rows, seeing the pool and the keys of this very step.

        hidden [T, D]; pool [num_blocks, block_size, 2, n_kv_heads, head_dim]: keys and values.
        """
        return self.layer_over(index, hidden, places, pool.index_select(0, places.blocks))

    def layer_over(self, index: int, hidden: Tensor, places: Places, copied: Tensor) -> LayerOutput:
        """As `layer`, with a copy of the blocks that the places name, in their order. The keys
        and values of this step are written into the copy."""
        n_q, n_kv = self.config.n_heads, self.config.n_kv_heads
        heads = self.project(index, hidden, places.positions)
        kv_new = heads.narrow(1, n_q, 2 * n_kv).unflatten(1, (2, n_kv))
        cache = _with_new(copied, places, kv_new)
        attended = _attend(heads.narrow(1, 0, n_q), cache, places.visible)
        return LayerOutput(self.finish(index, hidden, attended), kv_new)

    def head(self, hidden: Tensor, last: Tensor) -> Tensor:
        """hidden [T, D], last [R] int64 -> logits [R, V] of the token rows named by `last`.

        A row without a sample (`last` -1) gets some other row's logits, to be ignored.
        """
        chosen = hidden.index_select(0, last.clamp(0, hidden.shape[0] - 1))
        return _rms_norm(chosen) @ self.weights.head

    def project(self, index: int, hidden: Tensor, positions: Tensor) -> Tensor:
        """[T, H + 2K, hd]: queries, keys and values of layer `index`.

        Queries and keys are turned by their positions; queries are scaled for the dot product.
        """
        mixed = _rms_norm(hidden) @ self.weights.layers[index].qkv
        pairs = torch.view_as_complex(mixed.to(self._turns.dtype.to_real()).unflatten(1, (-1, 2)))
        turned = torch.view_as_real(pairs * self._turns.index_select(0, positions))
        return turned.to(self.dtype).view(len(hidden), -1, self.config.head_dim)

    def finish(self, index: int, hidden: Tensor, attended: Tensor) -> Tensor:
        """The rest of a layer: [T, D] residual and [T, H * hd] attention -> [T, D]."""
        layer = self.weights.layers[index]
        hidden = torch.addmm(hidden, attended, layer.out)
        gate, up = (_rms_norm(hidden) @ layer.gate_up).chunk(2, -1)
        return torch.addmm(hidden, F.silu(gate) * up, layer.down)


def write_kv(pool: Tensor, places: Places, kv_new: Tensor, live: Tensor | None = None) -> None:
    """Put a layer's new keys and values where they belong in the pool.

    `live` [T] bool says which token rows count (None: all of them).
    """
    put_live(pool.flatten(0, 1), places.in_pool, kv_new, live)


def greedy(logits: Tensor) -> Tensor:
    """[R, V] logits -> [R] int64, the likeliest token of each row."""
    return logits.argmax(-1)


@lru_cache(maxsize=4)
def load_model(path: Path | None = None, where: str = "cpu") -> Model:
    """The model at `path` (the trained one that comes with the engine), read once a process and
    held by the torch device `where`."""
    config, weights = load(path or DEFAULT_PATH)
    return Model(config, weights.to(where))


def _rms_norm(x: Tensor) -> Tensor:
    """RMSNorm without a gain: x / (|x| / sqrt(D) + eps), in four small operations, not six."""
    length: Tensor = torch.linalg.vector_norm(x, dim=-1, keepdim=True)
    return x / (length / math.sqrt(x.shape[-1]) + _EPSILON)


def _rotary_table(config: ModelConfig, dtype: torch.dtype) -> Tensor:
    """[max_positions, (H + 2K) * hd / 2] complex: what each pair of a projection is times.

    The turn of each pair at each position (RoFormer) for queries and keys, and 1 for values.
    The queries' numbers also hold 1 / sqrt(hd), the scale of scaled dot product attention.
    """
    pairs = torch.arange(0, config.head_dim, 2, dtype=torch.float64) / config.head_dim
    angles = torch.outer(
        torch.arange(config.max_positions, dtype=torch.float64), config.rope_theta**-pairs
    )
    turns = torch.polar(torch.ones_like(angles), angles)
    queries = (turns * config.head_dim**-0.5).repeat(1, config.n_heads)
    keys = turns.repeat(1, config.n_kv_heads)
    return torch.cat((queries, keys, torch.ones_like(keys)), 1).to(dtype.to_complex())


def _with_new(copied: Tensor, places: Places, new: Tensor) -> Tensor:
    """[T, span, 2, K, hd]: every token row's copied cache with this step's `new` in it."""
    entry = copied.shape[2:]
    cache = copied.view(-1, *entry)
    cache = cache.index_copy_(0, places.in_cache, new).view(-1, places.span, *entry)
    return cache if places.rows is None else cache.index_select(0, places.rows)


def _attend(queries: Tensor, cache: Tensor, visible: Tensor) -> Tensor:
    """[T, H * hd]: each token row attends to the positions up to its own.

    The query heads that share a key/value head stand where a batch of queries would.
    """
    keys, values = cache.transpose(1, 3).unbind(2)
    grouped = queries.view(len(queries), keys.shape[1], -1, queries.shape[2])
    return F.scaled_dot_product_attention(
        grouped, keys, values, attn_mask=visible, scale=1.0
    ).flatten(1)
