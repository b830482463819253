"""Slots: how many buffers there are, and what the host writes into one for a batch."""

import torch

from engine.batch import new_batch
from engine.requests.request import Request, Row
from engine.slots import INPUTS, input_values, make_slots
from engine.workloads.workload import Workload
from tests.engine.device.bench import virtual

WORK = Workload(batch=3, max_batched_tokens=8, block_size=4)


def slots(device, **options):
    options = {"device_slots": 2, "host_slots": 3, "blocks": 5, "pinned": True, **options}
    return make_slots(device, WORK, **options)


def batch(device, step=0):
    """A prompt's last chunk of three tokens, and a decode row that is carried from place 6."""
    first = Request("a", [2, 10, 11, 12, 13], 4, seed=70, blocks=[9, 4])
    second = Request("b", [2, 20], 4, seed=71, blocks=[7])
    rows = [
        Row(first, 2, 3, True, [11, 12, 13], -1, 0),
        Row(second, 3, 1, True, [0], 6, 2),
    ]
    return new_batch(device, step, rows, device_slots=2, host_slots=3)


def test_each_side_has_its_own_number_of_slots():
    made = slots(virtual())
    assert [len(side) for side in (made.host_inputs, made.host_outputs)] == [3, 3]
    assert [len(side) for side in (made.device_inputs, made.device_outputs)] == [2, 2]


def test_buffers_carry_the_names_the_hazard_checker_uses():
    device = virtual()
    slots(device)
    assert {(b.resource, b.on_host) for b in device.log.buffers} == {
        ("host inputs", True), ("device inputs", False),
        ("host outputs", True), ("device outputs", False),
    }  # fmt: skip
    assert {b.label for b in device.log.buffers} == {*INPUTS, "out"}
    assert {b.slot for b in device.log.buffers if b.on_host} == {0, 1, 2}


def test_host_buffers_are_pinned_as_asked():
    made = slots(virtual(), pinned=False)
    assert not made.host_outputs[0].pinned
    assert not made.host_inputs[0].buffers["tokens"].pinned


def test_where_the_host_samples_the_logits_come_out():
    made = slots(virtual(), logits_out=256)
    out = made.device_outputs[0]
    assert (out.info.label, out.tensor.shape, out.tensor.dtype) == (
        "logits", (3, 256), torch.float64,
    )  # fmt: skip


def test_batches_take_slots_in_turn():
    device = virtual()
    assert [batch(device, step).device_slot for step in range(5)] == [0, 1, 0, 1, 0]
    assert [batch(device, step).host_slot for step in range(5)] == [0, 1, 2, 0, 1]


def test_a_batch_is_packed_row_by_row():
    device = virtual()
    slot = slots(device).host_inputs[0]
    values = input_values(batch(device), slot, timing_only=False)
    device.write("write inputs", values)
    packed = {label: slot.buffers[label].tensor[:rows].tolist() for label, rows in used(values)}
    assert packed == {
        "tokens": [11, 12, 13, 0],
        "places": [[2, 0, -1], [3, 0, -1], [4, 0, -1], [3, 1, 6]],
        "sampling": [[2, 70, 0], [3, 71, 2]],
        "block_table": [[9, 4, 0, 0, 0], [7, 0, 0, 0, 0]],
    }


def test_only_the_first_token_of_a_row_is_carried():
    device = virtual()
    item = Request("a", [2, 10, 11, 12], 4, blocks=[1])
    rows = [Row(item, 1, 3, True, [10, 11, 12], 6, 0)]
    values = input_values(
        new_batch(device, 0, rows, 2, 3), slots(device).host_inputs[0], timing_only=False
    )  # fmt: skip
    assert values[1][2] == [(1, 0, 6), (2, 0, -1), (3, 0, -1)]


def used(values):
    return [(buffer.info.label, rows) for buffer, rows, _ in values]


def test_a_timing_only_run_writes_the_same_rows_and_no_values():
    device = virtual(compute=False)
    slot = slots(device).host_inputs[0]
    values = input_values(batch(device), slot, timing_only=True)
    assert used(values) == [("tokens", 4), ("places", 4), ("sampling", 2), ("block_table", 2)]
    assert {value for _, _, value in values} == {None}
