"""Views of buffers: what they show, and that the checker sees them overlap."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from engine.checker.hazards import find_hazards
from engine.device.api import Kernel
from tests.engine.device.bench import finished, on_device, on_host, virtual

ROWS = 16
ranges = st.tuples(st.integers(0, ROWS - 1), st.integers(0, ROWS - 1)).map(
    lambda pair: (min(pair), max(pair) + 1)
)


def writes(view, name):
    rows = (1 << len(view.tensor)) - 1

    def body():
        return lambda: view.tensor.fill_(1)

    return Kernel(name, "layer", (), (view.rows(rows),), body)


@given(ranges, ranges, ranges)
def test_views_race_exactly_where_they_overlap(first, second, third):
    device = virtual()
    memory = on_device(device, ROWS)
    for number, (start, stop) in enumerate((first, second, third)):
        device.stream(f"s{number}").launch(writes(memory.part(start, stop), f"k{number}"))
    racing = {
        (a, b)
        for a, b in ((first, second), (first, third), (second, third))
        if max(a[0], b[0]) < min(a[1], b[1])
    }
    hazards = find_hazards(finished(device).log)
    assert bool(hazards) == bool(racing)
    expected = [any(start <= row < stop for start, stop in (first, second, third))
                for row in range(ROWS)]  # fmt: skip
    assert memory.tensor.bool().tolist() == expected


@given(st.data())
def test_a_view_of_a_view_reaches_the_rows_of_the_memory_itself(data):
    memory = on_device(virtual(), ROWS)
    memory.tensor.copy_(torch.arange(ROWS))
    start, stop = data.draw(ranges)
    outer = memory.part(start, stop)
    inner = outer.part(0, data.draw(st.integers(1, stop - start)))
    count = data.draw(st.integers(1, len(inner.tensor)))
    assert inner.first(count).rows == inner.tensor[:count].tolist()
    assert inner.rows(1 << count - 1).rows == [int(inner.tensor[count - 1])]


def test_a_wider_type_takes_several_rows_of_bytes():
    device = virtual()
    memory = device.buffer("device", "bytes", (32,), dtype=torch.uint8)
    numbers = memory.as_type(torch.int64)
    assert (numbers.row_bytes, memory.row_bytes) == (8, 1)
    assert numbers.first(2).rows == list(range(16))
    assert numbers.rows(0b1010).rows == [*range(8, 16), *range(24, 32)]
    assert numbers.part(1, 3).first(1).rows == list(range(8, 16))
    numbers.tensor[1] = 258
    assert memory.tensor[8:16].tolist() == [2, 1, 0, 0, 0, 0, 0, 0]


@pytest.mark.parametrize("compute", [True, False])
def test_a_copy_from_a_view_moves_and_counts_its_own_rows(compute):
    device = virtual(compute=compute)
    numbers = device.buffer("device", "bytes", (32,), dtype=torch.uint8).as_type(torch.int64)
    if compute:
        numbers.tensor.copy_(torch.arange(4))
    target = on_host(device)
    device.stream("d2h").copy(target, numbers.part(1, 4), 2)
    (op,) = finished(device).log
    assert op.nbytes == 16
    assert op.reads[0].rows == list(range(8, 24))
    assert not compute or target.tensor.tolist() == [1, 2, 0, 0]
