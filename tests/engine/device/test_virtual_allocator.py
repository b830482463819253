"""The caching allocator on the virtual device: what a cold pool costs, and who gets what back."""

import pytest

from engine.checker.hazards import find_hazards
from engine.oplog import OpKind
from tests.engine.device.bench import (
    adds,
    idle,
    kernel,
    on_device,
    on_host,
    peek,
    virtual,
)


def two_streams(**changes):
    device = virtual(alloc_ns=30, occupancy=100, **changes)
    return device, device.stream("a"), device.stream("b")


def test_a_cold_allocation_waits_for_the_whole_device():
    device, first, second = two_streams()
    second.launch(kernel())
    device.allocate(4, first, "t")
    assert device.now_ns == 100 + 30
    assert [op.kind for op in device.log] == [OpKind.KERNEL, OpKind.SYNC_DEVICE, OpKind.ALLOC]
    assert [(span.name, span.start_ns, span.end_ns, span.waits_for) for span in device.spans] == [
        ("cold allocation", 0, 100, "device"), ("cold allocation", 100, 130, ""),
    ]  # fmt: skip


def test_a_warm_allocation_costs_nothing():
    device, first, _ = two_streams()
    device.free(device.allocate(4, first, "t"))
    first.launch(kernel())
    began_ns = device.now_ns
    device.allocate(4, first, "t")
    assert device.now_ns == began_ns


@pytest.mark.parametrize(("nbytes", "reused"), [(1, True), (8, True), (9, False)])
def test_memory_is_reused_for_what_fits_in(nbytes, reused):
    device, first, _ = two_streams()
    memory = device.allocate(8, first, "t")
    device.free(memory)
    assert (device.allocate(nbytes, first, "t") is memory) is reused


def test_the_smallest_block_that_fits_is_taken():
    device, first, _ = two_streams()
    blocks = [device.allocate(size, first, "t") for size in (32, 8, 16)]
    for block in blocks:
        device.free(block)
    assert device.allocate(5, first, "t") is blocks[1]
    assert device.allocate(5, first, "t") is blocks[2]


def freed_while_read(record_stream):
    """A temporary is freed while another stream still reads it, and its stream goes on."""
    device, owner, reader = two_streams()
    temporary, slow = device.allocate(4, owner, "t"), on_device(device)
    seen = on_host(device)
    owner.launch(adds(7, temporary, family="carry"))
    owner.synchronize()
    reader.launch(kernel())
    reader.launch(adds(0, slow, temporary, family="carry"))
    if record_stream:
        device.record_stream(temporary, reader)
    device.free(temporary)
    again = device.allocate(4, owner, "t")
    owner.launch(adds(9, again, family="carry"))
    device.synchronize()
    reader.copy(seen, slow, 4)
    reader.synchronize()
    return device, again is temporary, peek(device, seen)


def test_memory_freed_under_another_streams_feet_is_overwritten():
    device, reused, seen = freed_while_read(record_stream=False)
    assert (reused, seen) == (True, [9, 9, 9, 9])
    assert [(h.kind, h.resource) for h in find_hazards(device.log)] == [("UAF", "temporaries")]


def test_recorded_streams_keep_their_memory_until_they_are_through():
    device, reused, seen = freed_while_read(record_stream=True)
    assert (reused, seen) == (False, [7, 7, 7, 7])
    assert find_hazards(device.log) == []


def test_memory_is_held_back_no_longer_than_its_streams_need():
    device, owner, reader = two_streams()
    memory = device.allocate(4, owner, "t")
    reader.launch(kernel())
    device.record_stream(memory, reader)
    device.free(memory)
    reader.launch(kernel())
    idle(device, 100)  # the kernel queued before the free is done, the one after it is not
    assert device.allocate(4, owner, "t") is memory


def test_memory_found_free_again_is_in_order_for_the_checker():
    device, owner, reader = two_streams()
    temporary, slow = device.allocate(4, owner, "t"), on_device(device)
    device.synchronize()
    reader.launch(adds(0, slow, temporary))
    device.record_stream(temporary, reader)
    device.free(temporary)
    idle(device, 100)  # nobody waits for the reader, but the allocator sees that it is done
    again = device.allocate(4, owner, "t")
    owner.launch(adds(9, again))
    assert again is temporary
    assert find_hazards(device.log) == []


def test_recording_the_owner_itself_holds_nothing_back():
    device, owner, _ = two_streams()
    memory = device.allocate(4, owner, "t")
    owner.launch(kernel())
    device.record_stream(memory, owner)
    device.free(memory)
    assert device.allocate(4, owner, "t") is memory


@pytest.mark.parametrize("action", ["free", "record_stream"])
def test_only_memory_of_the_allocator_can_be_given_back(action):
    device, owner, _ = two_streams()
    arguments = [on_device(device, label="kv")] + [owner] * (action == "record_stream")
    with pytest.raises(ValueError, match="kv does not come from the allocator"):
        getattr(device, action)(*arguments)


def test_memory_is_freed_once():
    device, owner, _ = two_streams()
    memory = device.allocate(4, owner, "t")
    device.free(memory)
    with pytest.raises(ValueError, match="freed twice"):
        device.free(memory)
