"""Lesson 02: ten symptoms and remedies. To which layer does each belong?

    "api"      connections, handlers, tokenising, streaming to clients
    "engine"   the loop that schedules, launches and takes results
    "device"   streams, events, copies and kernels

Fill in your answers, or answer on the lesson's page. Check them with:

    python -m lessons check 02
"""

# One client reads slowly, and the streams of all others stall.
slow_client = None

# Between any two steps the GPU stands idle while the scheduler runs.
scheduler_gap = None

# Input copies never overlap a kernel, though they are called with non_blocking=True.
copy_alone = None

# Every step ends with .item(), and the host branches on the number.
item_each_step = None

# The texts are right only if every launch is made to wait (CUDA_LAUNCH_BLOCKING=1).
right_when_blocking = None

# Remedy: async def handlers and a streamed HTTP response.
async_handlers = None

# Remedy: two batches in flight, results dealt with one step later.
two_in_flight = None

# Remedy: an event that the compute stream waits for.
an_event = None

# Tokenising one very long prompt delays the first token of everybody.
tokenizer = None

# Two large matrix products on two streams take as long as one after the other.
two_gemms = None
