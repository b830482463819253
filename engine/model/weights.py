"""What a model is made of: its sizes, its matrices, and the file that holds both.

The matrices are stored as [inputs, outputs], so that a kernel reads `x @ w`. There
is no gain after a normalisation: it would be a diagonal matrix in front of the next
one and is absorbed there.

What this module does not do: compute anything (`engine.model.decoder`) or train (`engine.train`).
"""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import NamedTuple

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor

DEFAULT_PATH = Path(__file__).parent.parent / "weights" / "model.safetensors"


@dataclass(frozen=True)
class ModelConfig:
    """The sizes of a Llama-style decoder; the defaults are those of the trained model."""

    n_layers: int = 3
    dim: int = 128
    n_heads: int = 4
    n_kv_heads: int = 1
    head_dim: int = 24
    ff_dim: int = 320
    vocab: int = 256
    max_positions: int = 512
    rope_theta: float = 10_000.0

    def __post_init__(self) -> None:
        """Raise ValueError for sizes that do not fit together."""
        sizes = {name: value for name, value in asdict(self).items() if name != "rope_theta"}
        small = [name for name, value in sizes.items() if value < 1]
        if small:
            raise ValueError(f"Model size {small[0]} must be at least 1.")
        if self.n_heads % self.n_kv_heads:
            raise ValueError(
                f"{self.n_heads} query heads cannot share {self.n_kv_heads} KV heads evenly; "
                "choose n_heads as a multiple of n_kv_heads."
            )
        if self.head_dim % 2:
            raise ValueError("head_dim must be even, for RoPE turns pairs of numbers.")


class LayerWeights(NamedTuple):
    """One layer. H query heads and K key/value heads of size hd, D model, F feed-forward."""

    qkv: Tensor
    """[D, (H + 2K) * hd]: queries, then keys, then values."""
    out: Tensor
    """[H * hd, D]"""
    gate_up: Tensor
    """[D, 2F]: gate, then up."""
    down: Tensor
    """[F, D]"""


class Weights(NamedTuple):
    """All matrices of a model with V token ids."""

    embed: Tensor
    """[V, D]"""
    layers: tuple[LayerWeights, ...]
    head: Tensor
    """[D, V]"""

    def to(self, kind: torch.dtype | str) -> "Weights":
        """The same matrices in another type of number, or on another torch device."""
        layers = tuple(LayerWeights(*(w.to(kind) for w in layer)) for layer in self.layers)
        return Weights(self.embed.to(kind), layers, self.head.to(kind))


def shapes(config: ModelConfig) -> dict[str, tuple[int, int]]:
    """The name and shape of every matrix, in a fixed order."""
    dim, heads = config.dim, config.n_heads * config.head_dim
    kv = config.n_kv_heads * config.head_dim
    layer = {
        "qkv": (dim, heads + 2 * kv),
        "out": (heads, dim),
        "gate_up": (dim, 2 * config.ff_dim),
        "down": (config.ff_dim, dim),
    }
    layers = {f"layers.{i}.{n}": s for i in range(config.n_layers) for n, s in layer.items()}
    return {"embed": (config.vocab, dim), **layers, "head": (dim, config.vocab)}


def assemble(config: ModelConfig, named: Mapping[str, Tensor]) -> Weights:
    """`Weights` from matrices by name; ValueError names the first one that is missing or odd."""
    for name, shape in shapes(config).items():
        found = tuple(named[name].shape) if name in named else None
        if found != shape:
            raise ValueError(f"Model weights: {name} should have shape {shape}, found {found}.")
    layers = tuple(
        LayerWeights(*(named[f"layers.{i}.{field}"] for field in LayerWeights._fields))
        for i in range(config.n_layers)
    )
    return Weights(named["embed"], layers, named["head"])


def random_matrices(config: ModelConfig, seed: int) -> dict[str, Tensor]:
    """Untrained fp32 matrices by name: normal, as wide as `spread` says."""
    generator = torch.Generator().manual_seed(seed)
    return {
        name: torch.randn(shape, generator=generator) * spread(config, name, shape)
        for name, shape in shapes(config).items()
    }


def spread(config: ModelConfig, name: str, shape: tuple[int, int]) -> float:
    """The standard deviation of an untrained matrix, such that a product keeps its size.

    Matrices that add to the residual stream start smaller, by 1/sqrt(2 * n_layers), as in GPT-2.
    """
    fan_in = 1 if name == "embed" else shape[0]
    residual = name.endswith((".out", ".down"))
    return float(fan_in**-0.5 * ((2 * config.n_layers) ** -0.5 if residual else 1.0))


def save(path: Path, config: ModelConfig, named: Mapping[str, Tensor]) -> None:
    """Write the matrices as they are and the config into the file's metadata."""
    path.parent.mkdir(parents=True, exist_ok=True)
    tensors = {name: tensor.detach().contiguous() for name, tensor in named.items()}
    save_file(tensors, path, metadata={"config": json.dumps(asdict(config))})


def load(path: Path) -> tuple[ModelConfig, Weights]:
    """Read what `save` wrote.

    Raises FileNotFoundError when there is no such file and ValueError when it is not a model.
    """
    if not path.is_file():
        raise FileNotFoundError(
            f"There are no model weights at {path}; train them with: python -m engine.train"
        )
    try:
        with safe_open(path, framework="pt") as file:
            config = ModelConfig(**json.loads((file.metadata() or {})["config"]))
            named = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except (SafetensorError, KeyError, TypeError, json.JSONDecodeError) as error:
        raise ValueError(
            f"{path} is not a model file of this engine ({error}); choose another or train one "
            "with: python -m engine.train"
        ) from None
    return config, assemble(config, named)
