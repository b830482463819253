"""The kernels of the decoder, on tiny random models.

pytest tests/engine/model/test_decoder.py
"""

from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.model.decoder import Model, greedy, load_model, write_kv
from engine.model.reference import decode, hidden_states
from engine.model.weights import ModelConfig, assemble, random_matrices
from tests.engine.paged import serve

CONFIG = ModelConfig(
    n_layers=2, dim=16, n_heads=4, n_kv_heads=2, head_dim=6, ff_dim=20, vocab=64, max_positions=48
)
BLOCKS, BLOCK_SIZE = 9, 4


def tiny_model(config=CONFIG, seed=0):
    return Model(config, assemble(config, random_matrices(config, seed)))


TINY = tiny_model()


def filled_pool(seed=0):
    """Keys and values, all random."""
    shape = (BLOCKS, BLOCK_SIZE, 2, CONFIG.n_kv_heads, CONFIG.head_dim)
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=TINY.dtype)


def layer(index, hidden, positions, rows, table, pool):
    """One layer, and where its token rows stand."""
    places = TINY.place(positions, rows, table, pool)
    return TINY.layer(index, hidden, places, pool), places


def rms_norm(x):
    return x / (np.sqrt(np.mean(x * x, axis=-1, keepdims=True)) + 1e-6)


def rope(vector, position):
    """Rotate each pair of neighbours by its own angle, with sines and cosines."""
    turned = np.empty_like(vector)
    for pair in range(0, len(vector), 2):
        angle = position * CONFIG.rope_theta ** (-pair / len(vector))
        x, y = vector[pair : pair + 2]
        turned[pair] = x * np.cos(angle) - y * np.sin(angle)
        turned[pair + 1] = x * np.sin(angle) + y * np.cos(angle)
    return turned


def textbook_layer(x):
    """Layer 0 over the [L, D] states of one text, head by head and position by position."""
    qkv, out, gate_up, down = (w.numpy() for w in TINY.weights.layers[0])
    heads = (rms_norm(x) @ qkv).reshape(len(x), -1, CONFIG.head_dim)
    n_q, n_kv = CONFIG.n_heads, CONFIG.n_kv_heads
    attended = np.zeros((len(x), n_q, CONFIG.head_dim))
    for here in range(len(x)):
        for head in range(n_q):
            shared = head // (n_q // n_kv)
            query = rope(heads[here, head], here)
            keys = [rope(heads[j, n_q + shared], j) for j in range(here + 1)]
            scores = np.array([query @ key for key in keys]) / np.sqrt(CONFIG.head_dim)
            share = np.exp(scores - scores.max())
            share /= share.sum()
            attended[here, head] = share @ heads[: here + 1, n_q + n_kv + shared]
    x = x + attended.reshape(len(x), -1) @ out
    gate, up = np.split(rms_norm(x) @ gate_up, 2, axis=-1)
    return x + (gate / (1 + np.exp(-gate)) * up) @ down


def test_a_layer_is_the_textbook_formula():
    hidden = torch.randn(11, CONFIG.dim, dtype=TINY.dtype)
    table = torch.tensor([[4, 1, 8]])
    positions, rows = torch.arange(11), torch.zeros(11, dtype=torch.int64)
    output, _ = layer(0, hidden, positions, rows, table, filled_pool())
    np.testing.assert_allclose(output.hidden, textbook_layer(hidden.numpy()), atol=1e-10)


def test_a_layer_says_where_its_keys_and_values_belong_and_writes_nothing_itself():
    arguments = [
        torch.randn(4, CONFIG.dim, dtype=TINY.dtype),
        torch.tensor([5, 6, 7, 2]),
        torch.tensor([1, 1, 1, 0]),
        torch.tensor([[3, 0], [7, 2]]),
        filled_pool(),
    ]
    before = [argument.clone() for argument in arguments]
    output, places = layer(1, *arguments)
    assert all(torch.equal(now, then) for now, then in zip(arguments, before, strict=True))
    pool = arguments[-1]
    write_kv(pool, places, output.kv_new)
    homes = [(2, 1), (2, 2), (2, 3), (3, 2)]  # block and offset of each token row
    for row, (block, offset) in enumerate(homes):
        assert torch.equal(pool[block, offset], output.kv_new[row])
    changed = (pool != before[-1]).any(-1).any(-1).any(-1)
    assert changed.nonzero().tolist() == [list(home) for home in homes]


def test_what_stands_in_the_pool_past_a_position_or_in_foreign_blocks_changes_nothing():
    hidden = torch.randn(2, CONFIG.dim, dtype=TINY.dtype)
    inputs = hidden, torch.tensor([5, 1]), torch.tensor([0, 1]), torch.tensor([[3, 0], [7, 2]])
    pool = filled_pool()
    seen = layer(0, *inputs, pool)[0].hidden
    pool[0, 1:] = 9.0  # positions 5.. of row 0; 5 itself comes from this step
    pool[7, 1:] = 9.0
    pool[[1, 2, 4, 5, 6, 8]] = 9.0
    assert torch.equal(layer(0, *inputs, pool)[0].hidden, seen)
    pool[3, 0] = 9.0
    assert not torch.equal(layer(0, *inputs, pool)[0].hidden, seen)


def test_two_new_positions_of_one_sequence_see_each_other_also_with_as_many_rows_as_tokens():
    hidden = torch.randn(2, CONFIG.dim, dtype=TINY.dtype)
    positions, rows, table = torch.tensor([0, 1]), torch.tensor([1, 1]), torch.tensor([[3], [5]])
    with_idle_row = layer(0, hidden, positions, rows, table, filled_pool())[0].hidden
    alone = layer(0, hidden, positions, rows - 1, table[1:], filled_pool())[0].hidden
    torch.testing.assert_close(with_idle_row, alone)


def test_the_head_takes_the_named_rows_and_survives_a_row_without_a_sample():
    hidden = torch.randn(5, CONFIG.dim, dtype=TINY.dtype)
    logits = TINY.head(hidden, torch.tensor([4, -1, 0]))
    assert logits.shape == (3, CONFIG.vocab)
    torch.testing.assert_close(logits[0], TINY.head(hidden[4:], torch.tensor([0]))[0])
    assert greedy(logits)[2] == logits[2].argmax()


integers = st.one_of(st.integers(-3, 70), st.integers(-(2**63), 2**63 - 1))


def column(n):
    return st.lists(integers, min_size=n, max_size=n).map(torch.tensor)


@settings(max_examples=60)
@given(data=st.data(), n_tokens=st.integers(1, 7), n_rows=st.integers(1, 4))
def test_garbage_in_every_index_raises_nothing_and_gives_numbers(data, n_tokens, n_rows):
    width = data.draw(st.integers(1, 14))  # up to more positions than the model has
    hidden = TINY.embed(data.draw(column(n_tokens)))
    table = data.draw(column(n_rows * width)).view(n_rows, width)
    positions, rows = data.draw(column(n_tokens)), data.draw(column(n_tokens))
    pool = filled_pool()
    output, places = layer(0, hidden, positions, rows, table, pool)
    write_kv(pool, places, output.kv_new)
    logits = TINY.head(output.hidden, data.draw(column(n_rows)))
    assert torch.isfinite(logits).all()
    assert ((greedy(logits) >= 0) & (greedy(logits) < CONFIG.vocab)).all()


def test_a_row_of_zeros_does_not_become_nan():
    zeros = torch.zeros(1, CONFIG.dim, dtype=TINY.dtype)
    first = torch.zeros(1, dtype=torch.int64)
    table = torch.zeros(1, 1, dtype=torch.int64)
    output, _ = layer(0, zeros, first, first, table, filled_pool())
    assert torch.isfinite(output.hidden).all()


@pytest.mark.parametrize("heads", [(4, 1), (4, 2), (4, 4), (6, 3)])
@pytest.mark.parametrize("block_size", [1, 4, 16])
def test_random_models_of_any_head_layout_serve_what_the_reference_decodes(heads, block_size):
    model = tiny_model(replace(CONFIG, n_heads=heads[0], n_kv_heads=heads[1]), seed=3)
    prompts = [[2, 9, 33, 7, 7], [2], [2, 40] * 6, [2, 50, 51]]
    served = serve(model, prompts, max_new=20, max_chunk=5, block_size=block_size)
    assert [sequence.new for sequence in served] == [
        decode(model, prompt, 20) for prompt in prompts
    ]


def test_one_text_of_a_batch_is_computed_on_its_own():
    tokens = torch.randint(0, CONFIG.vocab, (3, 10))
    together = hidden_states(TINY, tokens).view(3, 10, -1)
    alone = hidden_states(TINY, tokens[1:2])
    torch.testing.assert_close(together[1], alone, rtol=0, atol=1e-12)


@pytest.mark.parametrize(
    ("prompt", "new", "message"),
    [([], 3, "no tokens"), ([2] * 40, 9, "40 prompt tokens and 9 new ones exceed .* 48")],
)
def test_the_reference_refuses_what_it_cannot_decode(prompt, new, message):
    with pytest.raises(ValueError, match=message):
        decode(TINY, prompt, new)


@pytest.mark.parametrize(
    ("window", "seen"), [(0, [0, 1, 2, 3, 4]), (2, [3, 4]), (9, [0, 1, 2, 3, 4])]
)
def test_a_sliding_window_hides_what_lies_behind_it(window, seen):
    table, pool = torch.zeros(1, 2, dtype=torch.int64), torch.zeros(2, 4, 2, 1, 8)
    place = torch.tensor([4]), torch.tensor([0])
    places = load_model().place(*place, table, pool, window)
    assert places.visible.flatten().nonzero().flatten().tolist() == seen
    assert places.window == window
