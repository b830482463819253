"""What a task of the virtual device does to memory: a kernel's work, a copy's pieces."""

from collections.abc import Sequence

import numpy as np
import torch

from engine.device.api import Body, Commit
from engine.device.simulator import Task


def run_body(task: Task, body: Body) -> None:
    """Read a kernel's inputs at the start, write its outputs at the end."""
    commits: list[Commit] = []
    task.on_start = lambda: commits.append(body())
    task.on_mark = lambda _mark: commits.pop()()


def move_in_chunks(task: Task, dst: np.ndarray, src: np.ndarray, rows: int, chunks: int) -> None:
    """Let a copy arrive piece by piece: piece i of n rows has arrived at (i+1)/n of its time."""
    bounds = _pieces(task, rows, chunks)

    def arrive(piece: int) -> None:
        start, stop = bounds[piece], bounds[piece + 1]
        dst[start:stop] = src[start:stop]

    task.on_mark = arrive


def move_rows_in_chunks(
    task: Task, dst: torch.Tensor, to_rows: Sequence[int],
    src: torch.Tensor, from_rows: Sequence[int], chunks: int,
) -> None:  # fmt: skip
    """As `move_in_chunks`, from row from_rows[i] to row to_rows[i]."""
    bounds = _pieces(task, len(to_rows), chunks)

    def arrive(piece: int) -> None:
        start, stop = bounds[piece], bounds[piece + 1]
        dst[to_rows[start:stop]] = src[from_rows[start:stop]]

    task.on_mark = arrive


def _pieces(task: Task, rows: int, chunks: int) -> list[int]:
    """Set the instants at which the pieces have arrived; returns their bounds."""
    pieces = max(1, min(chunks, rows))
    task.marks = tuple(task.work_ns - task.work_ns * (i + 1) // pieces for i in range(pieces))
    return [rows * i // pieces for i in range(pieces + 1)]
