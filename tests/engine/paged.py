"""A bare continuous-batching loop for tests: fragmented blocks, chunks, comings and goings.

It knows nothing of devices or slots; everything random comes from one generator.
"""

from dataclasses import dataclass, field
from random import Random

import torch

from engine.model.decoder import greedy, write_kv
from engine.model.tokenizer import EOS


@dataclass
class Sequence:
    """One request on its way: all its ids, how many are computed, the blocks it owns."""

    ids: list[int]
    n_prompt: int
    max_new: int
    blocks: list[int]
    computed: int = 0
    best_two: list[tuple[float, float]] = field(default_factory=list)
    """The best and the second best logit behind each new id."""

    @property
    def new(self):
        return self.ids[self.n_prompt :]

    @property
    def done(self):
        return self.new[-1:] == [EOS] or len(self.new) == self.max_new


class Cache:
    """Pools of zeros of every layer, and the blocks that nobody owns, in random order."""

    def __init__(self, model, rng, num_blocks, block_size):
        config = model.config
        shape = (num_blocks, block_size, 2, config.n_kv_heads, config.head_dim)
        self.block_size = block_size
        self.pools = [torch.zeros(shape, dtype=model.dtype) for _ in range(config.n_layers)]
        self.free = rng.sample(range(num_blocks), num_blocks)


def forward(model, cache, tokens, positions, rows, table, last):
    """One step over all kernels, with the writes where a device would make them: [R, V] logits."""
    hidden = model.embed(tokens)
    places = model.place(positions, rows, table, cache.pools[0])
    for index, pool in enumerate(cache.pools):
        hidden, kv_new = model.layer(index, hidden, places, pool)
        write_kv(pool, places, kv_new)
    return model.head(hidden, last)


def _step(model, cache, active, rng, max_chunk):
    tokens, positions, rows, last = [], [], [], []
    width = max(len(sequence.blocks) for sequence in active)
    for row, sequence in enumerate(active):
        chunk = len(sequence.ids) - sequence.computed
        chunk = min(chunk, rng.randint(1, max_chunk))
        span = range(sequence.computed, sequence.computed + chunk)
        tokens += [sequence.ids[i] for i in span]
        positions += span
        rows += [row] * chunk
        sequence.computed += chunk
        last.append(len(tokens) - 1 if sequence.computed == len(sequence.ids) else -1)
    filler = rng.randrange(len(cache.pools[0][0]))
    table = [s.blocks + [filler] * (width - len(s.blocks)) for s in active]
    logits = forward(model, cache, *map(torch.tensor, (tokens, positions, rows, table, last)))
    best_two = logits.topk(2).values.tolist()
    for sequence, token, pair, at in zip(active, greedy(logits), best_two, last, strict=True):
        if at >= 0:
            sequence.ids.append(int(token))
            sequence.best_two.append(tuple(pair))


def serve(model, prompts, max_new, seed=0, max_batch=4, max_chunk=8, block_size=16):
    """Each prompt served to its end, together in a random composition of batches."""
    rng = Random(seed)
    blocks_each = -(-(max(map(len, prompts)) + max_new) // block_size)
    cache = Cache(model, rng, (max_batch + 1) * blocks_each, block_size)
    waiting = [Sequence(list(prompt), len(prompt), max_new, []) for prompt in prompts]
    everyone, active = list(waiting), []
    rng.shuffle(waiting)
    with torch.inference_mode():
        while waiting or active:
            while waiting and len(active) < max_batch and (not active or rng.random() < 0.3):
                sequence = waiting.pop()
                sequence.blocks = [cache.free.pop() for _ in range(blocks_each)]
                active.insert(rng.randint(0, len(active)), sequence)
            _step(model, cache, active, rng, max_chunk)
            for sequence in [s for s in active if s.done]:
                active.remove(sequence)
                cache.free += sequence.blocks
                rng.shuffle(cache.free)
    return everyone
