"""What an operation does to memory, and when in its own time."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from engine.device.acts import copy_act, copy_rows_act, kernel_act, nothing


def watched(act, look):
    """Run an act; returns (part, parts, what is seen) at each of its pauses, and at its end."""
    seen = []
    act(lambda part, parts: seen.append((part, parts, look())))
    return [*seen, look()]


def test_a_kernel_reads_at_its_start_and_writes_at_its_end():
    source, target = torch.tensor([7]), torch.tensor([0])

    def body():
        values = source.clone()
        return lambda: target.copy_(values)

    def look():
        source.fill_(9)
        return target.tolist()

    assert watched(kernel_act(body), look) == [(1, 1, [0]), [7]]


@given(st.integers(1, 12), st.integers(1, 8))
def test_a_copy_arrives_in_pieces_spread_over_its_time(rows, chunks):
    target, source = torch.zeros(12, dtype=torch.int64), torch.ones(12, dtype=torch.int64)
    *pauses, end = watched(copy_act(target, source, rows, chunks), target.sum)
    pieces = min(rows, chunks)
    assert [(part, parts) for part, parts, _ in pauses] == [
        (piece + 1, pieces) for piece in range(pieces)
    ]
    assert end == rows and target[:rows].all()


@pytest.mark.parametrize("chunks", [1, 2, 5])
def test_rows_are_copied_from_anywhere_to_anywhere(chunks):
    target, source = torch.zeros(5, dtype=torch.int64), torch.arange(5)
    look = target.tolist
    *_, end = watched(copy_rows_act(target, [4, 0, 2], source, [1, 2, 3], chunks), look)
    assert end == [2, 0, 3, 0, 1]


def test_a_half_copied_buffer_can_be_seen():
    target, source = torch.zeros(4, dtype=torch.int64), torch.ones(4, dtype=torch.int64)
    assert watched(copy_act(target, source, 4, 2), target.tolist) == [
        (1, 2, [0, 0, 0, 0]),
        (2, 2, [1, 1, 0, 0]),
        [1, 1, 1, 1],
    ]


def test_an_operation_without_an_act_takes_its_time():
    assert watched(nothing, lambda: None) == [(1, 1, None), None]
