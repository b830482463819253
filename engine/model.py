"""The decoder as the devices run it: embed, each layer, head and greedy sampling, one kernel each.

Llama's mathematics: RMSNorm before each half of a layer, rotary positions, grouped
query attention (several query heads share one key/value head), SwiGLU.

A step is a flat list of T token rows that belong to R sequence rows. One row is a
decode step, several rows with ascending positions are a prefill chunk, and both may
stand side by side. Keys and values live in blocks; `block_table` says which blocks a
sequence row owns, in order. A layer reads the pool and returns what has to be written
into it, because a kernel writes when it ends. No kernel loops over requests or writes
into an argument.

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

What this module does not do: loading (`engine.model_weights`), requests, scheduling,
carry-over, deciding when a write lands.
"""

from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor

from engine.model_weights import DEFAULT_PATH, LayerWeights, ModelConfig, Weights, load

__all__ = ["LayerOutput", "Model", "ModelConfig", "greedy", "load_model"]

_EPSILON = torch.tensor(1e-6)
"""Keeps a row of zeros from becoming NaN."""


class LayerOutput(NamedTuple):
    """What one layer gives back; the caller writes keys and values at (block_ids, offsets)."""

    hidden: Tensor
    """[T, D]"""
    k_new: Tensor
    """[T, n_kv_heads, head_dim]"""
    v_new: Tensor
    """[T, n_kv_heads, head_dim]"""
    block_ids: Tensor
    """[T] int64, the block of each token row"""
    offsets: Tensor
    """[T] int64, the position within that block"""


class Model:
    """A decoder with fixed weights; its methods are the kernels and change nothing."""

    def __init__(
        self, config: ModelConfig, weights: Weights, dtype: torch.dtype = torch.float64
    ) -> None:
        """Cast `weights` to `dtype`, in which everything is computed, the KV cache too."""
        self.config = config
        self.dtype = dtype
        self.weights = Weights(
            weights.embed.to(dtype),
            tuple(LayerWeights(*(w.to(dtype) for w in layer)) for layer in weights.layers),
            weights.head.to(dtype),
        )
        self._turns = _rotary_table(config, dtype)

    @property
    def kv_bytes_per_position(self) -> int:
        """Bytes of keys and values that one position takes, all layers together."""
        config = self.config
        return 2 * config.n_layers * config.n_kv_heads * config.head_dim * self.dtype.itemsize

    def embed(self, tokens: Tensor) -> Tensor:
        """[T] int64 token ids -> [T, D] hidden states."""
        return self.weights.embed.index_select(0, tokens.clamp(0, self.config.vocab - 1))

    def layer(
        self,
        index: int,
        hidden: Tensor,
        positions: Tensor,
        rows: Tensor,
        block_table: Tensor,
        k_pool: Tensor,
        v_pool: Tensor,
    ) -> LayerOutput:
        """Layer `index` over T token rows, seeing the pool and the keys of this very step.

        hidden [T, D]; positions [T] and rows [T] int64; block_table [R, max_blocks] int64;
        k_pool and v_pool [num_blocks, block_size, n_kv_heads, head_dim]. The work grows with
        max_blocks, so hand over no more columns than the longest sequence needs; entries past
        a sequence's own blocks may hold anything.
        """
        block_size = k_pool.shape[1]
        span = block_table.shape[1] * block_size
        positions = positions.clamp(0, min(span, self.config.max_positions) - 1)
        rows = rows.clamp(0, block_table.shape[0] - 1)
        blocks = block_table.clamp(0, k_pool.shape[0] - 1).flatten()
        place = torch.add(positions, rows, alpha=span)

        q, k_new, v_new = self.project(index, hidden, positions)
        keys = _gather(k_pool, blocks, span, place, k_new)
        values = _gather(v_pool, blocks, span, place, v_new)
        # Where token row t belongs to sequence row t, as in every decode step, the copies are
        # in place already. A GPU would have to make the host wait for this answer.
        if not torch.equal(rows, torch.arange(block_table.shape[0])):
            keys, values = keys.index_select(0, rows), values.index_select(0, rows)
        visible = torch.arange(span) <= positions.unsqueeze(1)
        hidden = self.finish(index, hidden, _attend(q, keys, values, visible))
        block_ids = blocks.index_select(0, place // block_size)
        return LayerOutput(hidden, k_new, v_new, block_ids, place % block_size)

    def head(self, hidden: Tensor, last: Tensor) -> Tensor:
        """hidden [T, D], last [R] int64 -> logits [R, V] of the token rows named by `last`.

        A row without a sample (`last` -1) gets some other row's logits, to be ignored.
        """
        chosen = hidden.index_select(0, last.clamp(0, hidden.shape[0] - 1))
        return _rms_norm(chosen) @ self.weights.head

    def project(self, index: int, hidden: Tensor, positions: Tensor) -> tuple[Tensor, ...]:
        """Queries [T, H, hd], keys and values [T, K, hd] of layer `index`, rotated where due."""
        n_q, n_kv, head_dim = self.config.n_heads, self.config.n_kv_heads, self.config.head_dim
        mixed = _rms_norm(hidden) @ self.weights.layers[index].qkv
        mixed = mixed.view(-1, n_q + 2 * n_kv, head_dim)
        turned = _rotate(mixed.narrow(1, 0, n_q + n_kv), self._turns.index_select(0, positions))
        return (
            turned.narrow(1, 0, n_q),
            turned.narrow(1, n_q, n_kv),
            mixed.narrow(1, n_q + n_kv, n_kv),
        )

    def finish(self, index: int, hidden: Tensor, attended: Tensor) -> Tensor:
        """The rest of a layer: [T, D] residual and [T, H * hd] attention -> [T, D]."""
        layer = self.weights.layers[index]
        hidden = torch.addmm(hidden, attended, layer.out)
        gate, up = (_rms_norm(hidden) @ layer.gate_up).chunk(2, -1)
        return torch.addmm(hidden, F.silu(gate) * up, layer.down)


def greedy(logits: Tensor) -> Tensor:
    """[R, V] logits -> [R] int64, the likeliest token of each row."""
    return logits.argmax(-1)


@lru_cache(maxsize=4)
def load_model(path: Path | None = None) -> Model:
    """The model at `path` (the trained one that comes with the engine), read once a process."""
    return Model(*load(path or DEFAULT_PATH))


def _rms_norm(x: Tensor) -> Tensor:
    """RMSNorm without a gain: x / (|x| / sqrt(D) + eps), in three small operations, not six."""
    length = torch.linalg.vector_norm(x, dim=-1, keepdim=True)
    return x / torch.add(_EPSILON, length, alpha=x.shape[-1] ** -0.5)


def _rotate(heads: Tensor, turns: Tensor) -> Tensor:
    """[T, n, hd] with neighbouring numbers as complex pairs, each turned by [T, hd / 2] (RoPE)."""
    pairs = torch.view_as_complex(heads.view(*heads.shape[:2], -1, 2))
    return torch.view_as_real(pairs * turns.unsqueeze(1)).view(heads.shape)


def _rotary_table(config: ModelConfig, dtype: torch.dtype) -> Tensor:
    """[max_positions, hd / 2] complex: the turn of each pair at each position (RoFormer)."""
    pairs = torch.arange(0, config.head_dim, 2, dtype=torch.float64) / config.head_dim
    angles = torch.outer(
        torch.arange(config.max_positions, dtype=torch.float64), config.rope_theta**-pairs
    )
    return torch.polar(torch.ones_like(angles), angles).to(dtype.to_complex())


def _gather(pool: Tensor, blocks: Tensor, span: int, place: Tensor, new: Tensor) -> Tensor:
    """[R, span, K, hd]: a copy of every sequence's cache with this step's `new` in it."""
    head = pool.shape[2:]
    cache = pool.index_select(0, blocks).view(-1, *head).index_copy_(0, place, new)
    return cache.view(-1, span, *head)


def _attend(q: Tensor, keys: Tensor, values: Tensor, visible: Tensor) -> Tensor:
    """[T, H * hd]: each token row attends to the positions up to its own.

    The query heads that share a key/value head stand where a batch of queries would.
    """
    grouped = q.view(q.shape[0], keys.shape[2], -1, q.shape[2])
    return F.scaled_dot_product_attention(
        grouped, keys.transpose(1, 2), values.transpose(1, 2), attn_mask=visible[:, None, None]
    ).flatten(1)
