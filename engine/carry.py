"""Carry-over: tokens that batch N sampled become inputs of batch N+1 without leaving the device.

When the host builds batch N+1 it does not know them yet, so a placeholder stands in, and
`source` says where the token will lie among those that have been sampled (-1: the id is known).
"""

from collections.abc import Callable

import torch

CarryOver = Callable[[torch.Tensor, torch.Tensor, torch.Tensor], torch.Tensor]
"""(ids [T], source [T], sampled [R]) -> the ids [T] that the model sees, all int64."""


def select(ids: torch.Tensor, source: torch.Tensor, sampled: torch.Tensor) -> torch.Tensor:
    """Take the sampled token where there is one, whatever the placeholder is."""
    return torch.where(source >= 0, _at(source, sampled), ids)


def add(ids: torch.Tensor, source: torch.Tensor, sampled: torch.Tensor) -> torch.Tensor:
    """Add the sampled token to its placeholder, which must be 0."""
    return ids + _at(source, sampled) * (source >= 0)


def _at(source: torch.Tensor, sampled: torch.Tensor) -> torch.Tensor:
    """The tokens at these places; anything for -1, and for places read from damaged memory."""
    return sampled[source.clamp(0, len(sampled) - 1)]


def carry_over_for(carry: str) -> CarryOver:
    """What the toggle `carry` asks for."""
    return add if carry.startswith("add") else select
