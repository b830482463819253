"""Rows in use are written as a boolean mask would write them, whatever the mask says."""

import torch
from hypothesis import given
from hypothesis import strategies as st

from engine.live_rows import put_live, write_live
from engine.model.decoder import Model
from engine.model.weights import DEFAULT_PATH, load

ROWS = st.lists(st.tuples(st.integers(0, 5), st.booleans()), min_size=1, max_size=8)


def tensors(rows, width):
    places = torch.tensor([place for place, _ in rows])
    live = torch.tensor([used for _, used in rows])
    values = torch.arange(1, len(rows) * width + 1).view(len(rows), width)
    return places, live, values


@given(ROWS, st.integers(1, 3))
def test_putting_rows_equals_indexing_by_a_mask(rows, width):
    places, live, values = tensors(rows, width)
    target, expected = torch.zeros(6, width, dtype=torch.int64), [[0] * width for _ in range(6)]
    for place, used, row in zip(places.tolist(), live.tolist(), values.tolist(), strict=True):
        if used:
            expected[place] = row  # the later one stays
    put_live(target, places, values, live)
    assert target.tolist() == expected


@given(ROWS, st.integers(1, 3))
def test_writing_rows_equals_indexing_by_a_mask(rows, width):
    _, live, values = tensors(rows, width)
    target = -torch.ones_like(values)
    expected = target.clone()
    expected[live] = values[live]
    write_live(target, values, live)
    assert torch.equal(target, expected)


def test_a_model_that_may_not_look_gives_the_same_bits():
    config, weights = load(DEFAULT_PATH)
    pool = torch.randn(
        8, 4, 2, config.n_kv_heads, config.head_dim, dtype=torch.float64,
        generator=torch.Generator().manual_seed(0),
    )  # fmt: skip
    positions, rows = torch.tensor([3, 9, 0]), torch.arange(3)
    table = torch.tensor([[0, 1, 2], [3, 4, 5], [6, 7, 0]])
    outputs = []
    for looks in (True, False):
        model = Model(config, weights, looks=looks)
        places = model.place(positions, rows, table, pool)
        assert (places.rows is None) is looks
        outputs.append(model.layer(0, model.embed(torch.tensor([65, 66, 67])), places, pool))
    for seen, blind in zip(*outputs, strict=True):
        assert torch.equal(seen, blind)
