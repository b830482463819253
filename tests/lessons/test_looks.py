"""Whether a function of tensors needs the host."""

import pytest
import torch

from lessons.looks import host_needed

ROWS = torch.tensor([3, -1, 2])


@pytest.mark.parametrize(
    ("function", "named"),
    [
        (lambda rows: rows[0].item(), "item"),
        (lambda rows: rows.tolist(), "tolist"),
        (lambda rows: rows if rows[0] > 0 else -rows, "__bool__"),
        (lambda rows: rows.cpu(), "cpu"),
        (lambda rows: rows[rows >= 0], "a boolean mask"),
        (lambda rows: torch.masked_select(rows, rows > 0), "masked_select"),
    ],
)
def test_a_look_at_a_value_is_named(function, named):
    assert host_needed(function, [ROWS]) == named


def test_what_only_computes_needs_no_host():
    assert host_needed(lambda rows: torch.where(rows >= 0, rows.cumsum(0), 0), [ROWS]) == ""
