"""Lesson 08: what may be read when, and memory that is freed too early.

Part 1. Eight things happen after a step has been enqueued. For each, which point must have been
reached, at the least? You may answer on the lesson's page as well.

    "returned"   the calls have returned: the step is enqueued
    "arrived"    its inputs have arrived on the device
    "computed"   its last kernel has ended
    "copied"     its tokens have been copied to the host

Part 2. `enqueue_step` takes new device memory for the tokens of each step and frees it as soon as
their copy to the host has been launched. Somebody else may then get it while the copy is running.
Keep it until the copy is done; the host may not wait for that in `enqueue_step`. Your functions
serve many runs, one after the other.

    device.free(memory)                     give memory back to the caching allocator
    device.record_stream(memory, stream)    tell the allocator that this stream works on it, too:
                                            freed memory is kept until that stream has got so far
    event.query()                           ask without waiting whether an event is reached

Check it with:  python -m lessons check 08
"""

# The host begins to prepare the next batch, in the other slot
next_batch = None

# The first kernel reads the token ids
first_kernel = None

# The host writes the inputs of a later step into the same pinned buffer
rewrite_host_inputs = None

# The next forward pass picks up the sampled tokens on the device
next_forward = None

# Inputs of a later step are copied over this step's device inputs
rewrite_device_inputs = None

# The host reads the tokens and looks for EOS
read_tokens = None

# The device memory of the tokens is given to somebody else
reuse_outputs = None

# The client is sent the new text
stream_text = None


def enqueue_step(device, streams, slot, allocate):
    """Queue one step of a slot; its tokens lie in memory from allocate(stream)."""
    h2d, compute, d2h = streams

    h2d.copy(slot.device_inputs, slot.host_inputs, slot.rows)
    h2d.record(slot.h2d_done)

    tokens = allocate(compute)
    compute.wait(slot.h2d_done)
    for kernel in slot.forward_into(tokens):
        compute.launch(kernel)
    compute.record(slot.compute_done)

    d2h.wait(slot.compute_done)
    d2h.copy(slot.host_outputs, tokens, slot.rows)
    d2h.record(slot.d2h_done)
    device.free(tokens)


def collect(device, slot):
    """Take the tokens of a slot's step; the next step has been queued in the meantime."""
    slot.d2h_done.synchronize()
    return device.read("read tokens", slot.host_outputs, slot.rows)
