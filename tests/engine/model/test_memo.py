"""Results of kernels, kept by what went in. Run: pytest tests/engine/model/test_memo.py"""

from threading import Thread

import pytest
import torch

from engine.configuration import configure
from engine.execution import execute
from engine.model.decoder import Model
from engine.model.memo import RememberingModel, remembering_model
from engine.model.weights import ModelConfig, assemble, random_matrices

CONFIG = ModelConfig(n_layers=2, dim=16, n_heads=4, n_kv_heads=2, head_dim=6, ff_dim=20, vocab=64)
WEIGHTS = assemble(CONFIG, random_matrices(CONFIG, 0))
PLAIN = Model(CONFIG, WEIGHTS)


class Counting(RememberingModel):
    """Counts the layers that it really computes."""

    computed = 0

    def project(self, *arguments):
        self.computed += 1
        return super().project(*arguments)


def inputs():
    """hidden, positions, rows, table, pool of a step with three token rows."""
    generator = torch.Generator().manual_seed(4)
    return {
        "hidden": torch.randn(3, CONFIG.dim, generator=generator, dtype=torch.float64),
        "positions": torch.tensor([5, 6, 2]),
        "rows": torch.tensor([0, 0, 1]),
        "table": torch.tensor([[3, 0], [7, 2]]),
        "pool": torch.randn(9, 4, 2, 2, 6, generator=generator, dtype=torch.float64),
    }


def state(number):
    """The hidden state of one token row, another one for each number."""
    return torch.sin(torch.arange(CONFIG.dim, dtype=torch.float64) * (number + 1)).view(1, -1)


def layer(model, index, hidden, positions, rows, table, pool):
    places = model.place(positions, rows, table, pool)
    return model.layer(index, hidden, places, pool)


def test_the_same_input_is_computed_once_and_gives_what_the_plain_model_gives():
    model = Counting(CONFIG, WEIGHTS)
    for _ in range(3):
        for mine, plain in zip(
            layer(model, 1, **inputs()), layer(PLAIN, 1, **inputs()), strict=True
        ):
            assert torch.equal(mine, plain)
    assert model.computed == 1


@pytest.mark.parametrize(
    ("name", "place", "value"),
    [
        ("hidden", (2, 15), 1.0),
        ("positions", 1, 7),
        ("rows", 2, 0),
        ("table", (1, 0), 6),
        ("pool", (3, 0, 1, 1, 5), 1.0),
        ("pool", (0, 0, 0, 0, 0), 1.0),
    ],
)
def test_one_other_number_that_matters_is_computed_anew(name, place, value):
    model = Counting(CONFIG, WEIGHTS)
    before = layer(model, 0, **inputs())
    changed = inputs()
    changed[name][place] = value
    after = layer(model, 0, **changed)
    assert model.computed == 2
    assert not torch.equal(before.hidden, after.hidden)
    assert torch.equal(after.hidden, layer(PLAIN, 0, **changed).hidden)


def test_layers_are_told_apart():
    model = Counting(CONFIG, WEIGHTS)
    first, second = (layer(model, index, **inputs()).hidden for index in (0, 1))
    assert model.computed == 2
    assert not torch.equal(first, second)


def test_the_head_is_kept_too():
    model, hidden = RememberingModel(CONFIG, WEIGHTS), inputs()["hidden"]
    for last in (torch.tensor([2, -1]), torch.tensor([0, 1])):
        once = model.head(hidden, last)
        assert torch.equal(once, PLAIN.head(hidden, last))
        assert model.head(hidden.clone(), last.clone()) is once


def test_what_is_not_asked_for_is_forgotten_first():
    model = RememberingModel(CONFIG, WEIGHTS)
    states = [state(number) for number in range(1, 5)]
    row = torch.tensor([0])
    kept = [model.head(state, row) for state in states[:3]]
    model.most_bytes = model.held_bytes
    assert model.head(states[0], row) is kept[0]
    model.head(states[3], row)
    assert model.held_bytes == model.most_bytes
    assert model.head(states[0], row) is kept[0]
    assert model.head(states[2], row) is kept[2]
    assert model.head(states[1], row) is not kept[1]


def test_threads_may_share_it():
    model = RememberingModel(CONFIG, WEIGHTS)
    model.most_bytes = 20_000
    row, wrong = torch.tensor([0]), []

    def work(offset):
        for number in range(200):
            hidden = state((number + offset) % 60)
            if not torch.equal(model.head(hidden, row), PLAIN.head(hidden, row)):
                wrong.append(number)

    threads = [Thread(target=work, args=(offset,)) for offset in (0, 7, 31)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
    assert 0 < model.held_bytes <= model.most_bytes


def test_a_run_of_remembered_kernels_is_the_run_that_was_computed():
    config = configure("async", set={"wait_h2d": "off"}, requests=4, seed=3)
    first = execute(config)
    held = remembering_model().held_bytes
    again = execute(config)
    assert remembering_model().held_bytes == held
    assert again.texts == first.texts
    assert [op.end_ns for op in again.device.log.ops] == [op.end_ns for op in first.device.log.ops]
