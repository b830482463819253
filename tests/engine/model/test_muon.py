"""The optimizer of the inner matrices. Run: pytest tests/engine/model/test_muon.py"""

import pytest
import torch

from engine.model.muon import Muon, orthogonalise


@pytest.mark.parametrize("shape", [(8, 8), (5, 40), (40, 5)])
def test_a_direction_has_singular_values_near_one_and_keeps_its_singular_vectors(shape):
    matrix = torch.randn(shape, generator=torch.Generator().manual_seed(0))
    made = orthogonalise(matrix)
    values = torch.linalg.svdvals(made)
    assert made.shape == matrix.shape
    assert 0.3 < float(values.min()) <= float(values.max()) < 1.3
    # the same singular vectors: both grams commute
    one, other = matrix @ matrix.T, made @ made.T
    torch.testing.assert_close(one @ other, other @ one, atol=1e-3, rtol=1e-3)


def test_a_matrix_is_found_also_along_weak_directions():
    generator = torch.Generator().manual_seed(1)
    target = torch.randn(6, 10, generator=generator)
    scale = torch.logspace(0, -2, 10)  # the last column counts a hundredth of the first
    matrix = torch.zeros(6, 10, requires_grad=True)
    optimizer = Muon([matrix], weight_decay=0.0)
    for step in range(400):
        optimizer.param_groups[0]["lr"] = 0.2 * (1 - step / 400)
        optimizer.zero_grad()
        (scale * (matrix - target)).square().sum().backward()
        optimizer.step()
    assert float((matrix.detach() - target).abs().max()) < 0.1


def test_weight_decay_shrinks_a_matrix_without_gradient():
    matrix = torch.ones(2, 2, requires_grad=True)
    matrix.grad = torch.zeros(2, 2)
    Muon([matrix], lr=0.5, weight_decay=0.1).step()
    torch.testing.assert_close(matrix.detach(), torch.full((2, 2), 0.95))
