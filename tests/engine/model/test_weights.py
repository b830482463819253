"""Sizes, matrices and the file. Run: pytest tests/engine/model/test_weights.py"""

import pytest
import torch
from safetensors.torch import save_file

from engine.model.decoder import load_model
from engine.model.weights import (
    DEFAULT_PATH,
    ModelConfig,
    assemble,
    load,
    random_matrices,
    save,
    shapes,
)

CONFIG = ModelConfig(n_layers=2, dim=8, n_heads=2, n_kv_heads=1, head_dim=4, ff_dim=6, vocab=16)


def test_a_saved_model_comes_back_as_it_was(tmp_path):
    matrices = random_matrices(CONFIG, 1)
    save(tmp_path / "new" / "m.safetensors", CONFIG, matrices)
    config, weights = load(tmp_path / "new" / "m.safetensors")
    assert config == CONFIG
    assert torch.equal(weights.layers[1].down, matrices["layers.1.down"])
    assert torch.equal(weights.embed, matrices["embed"])


def test_a_seed_gives_the_same_random_model_and_another_seed_another():
    first, same, other = (random_matrices(CONFIG, seed)["head"] for seed in (1, 1, 2))
    assert torch.equal(first, same)
    assert not torch.equal(first, other)


def test_a_missing_file_is_named_with_the_command_that_makes_it(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"none\.bin.*python -m engine\.train"):
        load(tmp_path / "none.bin")


def test_a_file_that_is_no_model_is_refused_in_one_sentence(tmp_path):
    odd = tmp_path / "odd.bin"
    odd.write_bytes(b"not a model at all")
    with pytest.raises(ValueError, match="not a model file of this engine"):
        load(odd)
    save_file({"x": torch.zeros(1)}, odd)
    with pytest.raises(ValueError, match="not a model file of this engine"):
        load(odd)


@pytest.mark.parametrize("fault", ["missing", "shape"])
def test_a_matrix_that_is_missing_or_of_another_shape_is_named(fault):
    matrices = random_matrices(CONFIG, 0)
    odd = matrices.pop("layers.1.out")
    if fault == "shape":
        matrices["layers.1.out"] = odd[1:]
    with pytest.raises(ValueError, match="layers.1.out should have shape"):
        assemble(CONFIG, matrices)


@pytest.mark.parametrize(
    ("sizes", "message"),
    [
        ({"n_layers": 0}, "n_layers must be at least 1"),
        ({"n_heads": 3, "n_kv_heads": 2}, "cannot share 2 KV heads"),
        ({"head_dim": 5}, "must be even"),
    ],
)
def test_sizes_that_do_not_fit_are_refused(sizes, message):
    with pytest.raises(ValueError, match=message):
        ModelConfig(**sizes)


def test_the_committed_model_is_small():
    config, _ = load(DEFAULT_PATH)
    numbers = sum(inputs * outputs for inputs, outputs in shapes(config).values())
    assert 0.5e6 <= numbers <= 1.5e6
    assert DEFAULT_PATH.stat().st_size <= 4e6


def test_the_committed_model_is_read_once():
    assert load_model() is load_model()
    assert load_model().dtype is torch.float64
