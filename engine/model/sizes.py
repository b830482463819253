"""The models to choose from: the trained one, and random ones that keep a larger device busy.

A random model writes nonsense, and never ends by itself: requests run to their longest, so that
times compare. The large sizes are those of well-known models (GPT-2's layers for
0.1b; Llama 3.2 1B; Llama 3.1 8B with four more layers in place of its large vocabulary: this
engine's tokens are bytes). `6m` keeps a CPU thread busy: few, wide layers, tens of ms a step. All
weights are made where they are used, from a seed: there is no file. On a GPU they are bf16, on a
CPU, as the trained ones, float64.
"""

import os
from functools import lru_cache

import torch

from engine.config import ConfigError
from engine.model.decoder import Model
from engine.model.tokenizer import EOS
from engine.model.weights import ModelConfig, assemble, shapes, spread

TRAINED = "trained"

RANDOM = {
    "tiny": ModelConfig(n_layers=2, dim=32, n_heads=2, n_kv_heads=1, head_dim=16, ff_dim=64),
    "6m": ModelConfig(n_layers=2, dim=512, n_heads=8, n_kv_heads=2, head_dim=64, ff_dim=1536),
    "0.1b": ModelConfig(
        n_layers=12, dim=768, n_heads=12, n_kv_heads=4, head_dim=64, ff_dim=3072,
        max_positions=2048,
    ),
    "1b": ModelConfig(
        n_layers=16, dim=2048, n_heads=32, n_kv_heads=8, head_dim=64, ff_dim=8192,
        max_positions=2048, rope_theta=500_000.0,
    ),
    "8b": ModelConfig(
        n_layers=36, dim=4096, n_heads=32, n_kv_heads=8, head_dim=128, ff_dim=14336,
        max_positions=2048, rope_theta=500_000.0,
    ),
}  # fmt: skip

MODELS = (TRAINED, *RANDOM)


def check_model(name: str) -> None:
    """Raise ConfigError where there is no such model."""
    if name not in MODELS:
        raise ConfigError(f"there is no model {name!r}: use one of {', '.join(MODELS)}")


def parameters(config: ModelConfig) -> int:
    """How many numbers a model of these sizes holds."""
    return sum(rows * columns for rows, columns in shapes(config).values())


@lru_cache(maxsize=1)
def random_model(name: str, where: str) -> Model:
    """A random model on the torch device `where`; the last one made is kept.

    Raises ConfigError where it does not fit into the memory that is free.
    """
    config = RANDOM[name]
    dtype = torch.float64 if where == "cpu" else torch.bfloat16
    check_memory(name, parameters(config) * dtype.itemsize, free_bytes(where))
    generator = torch.Generator(where).manual_seed(0)
    named = {}
    for label, shape in shapes(config).items():
        matrix = torch.empty(shape, dtype=dtype, device=where)
        named[label] = matrix.normal_(0.0, spread(config, label, shape), generator=generator)
    named["head"][:, EOS] = 0  # of 256 logits around 0 the greatest is another
    return Model(config, assemble(config, named), dtype)


def check_memory(name: str, needed: int, free: int | None) -> None:
    """Raise ConfigError where a model needs more bytes than are free (None: nobody knows)."""
    if free is not None and needed > free:
        raise ConfigError(
            f"model {name!r} takes {needed / 1e9:.1f} GB and {free / 1e9:.1f} GB of memory are "
            "free: choose a smaller model, or run the timing alone"
        )


def free_bytes(where: str) -> int | None:
    """Free memory of a torch device; None where the system does not say."""
    if where != "cpu":
        return int(torch.cuda.mem_get_info()[0])
    try:
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return None
