"""What an operation of a real device does to memory, as a function of its own time.

An act is handed `pause`: `pause(part, parts)` returns when part/parts of the time that the
operation is to take have passed (at once, where it takes what it takes). So a kernel reads its
inputs at the start and writes its outputs at the end, and a copy arrives piece by piece.
"""

from collections.abc import Callable, Sequence

import torch

from engine.device.api import Body

Pause = Callable[[int, int], None]
Act = Callable[[Pause], None]


def nothing(pause: Pause) -> None:
    """Takes its time and leaves memory alone."""
    pause(1, 1)


def kernel_act(body: Body) -> Act:
    """Read at the start, compute, write at the end."""

    def act(pause: Pause) -> None:
        commit = body()
        pause(1, 1)
        commit()

    return act


def copy_act(dst: torch.Tensor, src: torch.Tensor, rows: int, chunks: int) -> Act:
    """Copy the first rows: piece i of n has arrived at (i+1)/n of the time."""

    def arrive(start: int, stop: int) -> None:
        dst[start:stop] = src[start:stop]

    return _in_pieces(arrive, rows, chunks)


def copy_rows_act(
    dst: torch.Tensor, to_rows: Sequence[int], src: torch.Tensor, from_rows: Sequence[int],
    chunks: int,
) -> Act:  # fmt: skip
    """As `copy_act`, from row from_rows[i] to row to_rows[i]."""

    def arrive(start: int, stop: int) -> None:
        dst[to_rows[start:stop]] = src[from_rows[start:stop]]

    return _in_pieces(arrive, len(to_rows), chunks)


def _in_pieces(arrive: Callable[[int, int], None], rows: int, chunks: int) -> Act:
    pieces = max(1, min(chunks, rows))

    def act(pause: Pause) -> None:
        for piece in range(pieces):
            pause(piece + 1, pieces)
            arrive(rows * piece // pieces, rows * (piece + 1) // pieces)

    return act
