"""The table of modes: every bug of the catalogue as a scene in which it shows.

`expect` is transcribed from the catalogue of mechanisms by hand, never generated from runs.
Workload and cost model of a row are chosen so that a fault that depends on timing shows.
"""

from engine.modes.device import ALLOCATOR, CONTENTION, GRAPHS
from engine.modes.faults import FAULTS
from engine.modes.host_state import HOST_STATE
from engine.modes.kv import KV
from engine.modes.mode import Mode, mode
from engine.modes.requests import ENDS, IDENTITY
from engine.modes.speculation import SPECULATION


class ModeError(ValueError):
    """There is no mode of that name; the message is one sentence."""


CORRECT = (
    mode(
        "sync", "correct",
        "One batch at a time: the GPU waits while the host works, the host while the GPU works.",
        "depth=1", "G", cause="update state",
    ),
    mode(
        "async", "correct",
        "The host prepares batch N+1 while the device computes batch N.",
    ),
    mode(
        "carry-add", "correct",
        "Carry-over by adding to a placeholder of 0 instead of selecting: the same tokens.",
        "carry=add",
    ),
    mode(
        "ready-queue", "correct",
        "Whatever is ready moves: results are taken when they come; the host sleeps if none can.",
        "loop=ready-queue",
    ),
)  # fmt: skip

ORDER = (
    mode(
        "no-wait-h2d", "order",
        "Compute does not wait for h2d_done: the first kernels read inputs before they arrive.",
        "wait_h2d=off", "T H", hazards="RAW device inputs",
    ),
    mode(
        "no-wait-compute", "order",
        "D2H does not wait for compute_done: it copies results that do not exist yet.",
        "wait_compute=off", "T H", hazards="RAW device outputs",
    ),
    mode(
        "no-sync-d2h", "order",
        "The host reads a batch's results at once, without waiting for d2h_done.",
        "sync_d2h=off", "T H", hazards="RAW host outputs",
    ),
    mode(
        "device-sync-for-results", "order",
        "The host waits for the whole device where one event would do.",
        "sync_d2h=device", "G", cause="device synchronize",
    ),
    mode(
        "no-reuse-host-input", "order",
        "One host slot, rewritten while its last copy is still under way.",
        "reuse_host_input=off host_slots=1", "T H", hazards="WAR host inputs",
        cost="small-gpu",
    ),
    mode(
        "no-reuse-device-input", "order",
        "Three batches in flight over two device slots, and H2D does not wait for compute_done.",
        "reuse_device_input=off depth=3 host_slots=3", "T H", hazards="WAR device inputs",
    ),
    mode(
        "no-reuse-device-output", "order",
        "Three batches over two device slots: results are overwritten while they are copied.",
        "reuse_device_output=off depth=3 host_slots=3", "T H", hazards="WAR device outputs",
        cost="slow-copies",
    ),
    mode(
        "no-reuse-host-output", "order",
        "One host slot for three batches in flight: results land on results the host has not read.",
        "reuse_host_output=off depth=3 device_slots=3 host_slots=1", "T H",
        hazards="WAR host outputs", cost="cpu-bound",
    ),
    mode(
        "record-too-early", "order",
        "compute_done is recorded before the sampling kernel, so D2H starts too soon.",
        "record_point=early", "T H", hazards="RAW device outputs,WAR device inputs",
    ),
    mode(
        "wait-before-record", "order",
        "The wait for h2d_done is issued before the record: it waits for nothing.",
        "wait_order=before-record", "T H", hazards="RAW device inputs",
    ),
)  # fmt: skip

STREAMS = (
    mode(
        "two-streams-copies", "streams",
        "Both copies on one stream: the next H2D stands behind a D2H that waits for compute.",
        "streams=two-copies", "G", cause="copies share one stream",
    ),
    mode(
        "h2d-on-compute", "streams",
        "H2D shares the compute stream: each batch's inputs wait for the batch before.",
        "streams=two-h2d", "G", cause="copies share the compute stream",
    ),
    mode(
        "d2h-on-compute", "streams",
        "D2H shares the compute stream: the next batch waits until the results are copied.",
        "streams=two-d2h", "G", cause="copies share the compute stream", cost="slow-copies",
    ),
    mode(
        "one-stream", "streams",
        "Everything on one stream: right, but copies no longer overlap compute.",
        "streams=one", "G", cause="copies share the compute stream",
    ),
    mode(
        "default-stream", "streams",
        "Everything on the default stream: one queue, as with one stream.",
        "streams=default", "G", cause="copies share the compute stream",
    ),
    mode(
        "blocking-streams", "streams",
        "Blocking streams and D2H on the legacy default stream: an implicit barrier each step.",
        "streams=d2h-default stream_kind=blocking", "G", cause="default stream barrier",
    ),
    mode(
        "default-stream-race", "streams",
        "D2H on the default stream without an event: PyTorch's streams do not stall, they race.",
        "streams=d2h-default wait_compute=off", "T H", hazards="RAW device outputs",
    ),
)  # fmt: skip

BUFFERS = (
    mode(
        "one-device-slot", "buffers",
        "One set of device buffers, edges on: right, but H2D waits for compute each step.",
        "device_slots=1", "G", cause="device slot reuse (H2D waited for compute_done)",
    ),
    mode(
        "single-buffer", "buffers",
        "One set of device buffers and no edge: the next inputs overwrite those being read.",
        "device_slots=1 reuse_device_input=off", "T H", hazards="WAR device inputs",
    ),
    mode(
        "partial-fence", "buffers",
        "The block table is copied behind the record of h2d_done: nothing waits for it.",
        "fence=partial", "H", hazards="RAW device inputs,WAR host inputs",
    ),
    mode(
        "pageable", "buffers",
        "Pageable host buffers: the data is right, the host is blocked by its own copies.",
        "memory=pageable", "G", cause="pageable copy",
    ),
    mode(
        "shared-metadata", "buffers",
        "All batches share one list of rows: results are matched with the next batch's rows.",
        "metadata=shared", "T I", workload="churn",
    ),
)  # fmt: skip

DEPTH = (
    mode(
        "depth-over-slots", "depth",
        "Three batches in flight over two slots, with no reuse edge at all.",
        "depth=3 reuse_host_input=off reuse_device_input=off reuse_device_output=off "
        "reuse_host_output=off", "T H",
        hazards="WAR device inputs,WAR device outputs,WAR host inputs,WAR host outputs",
        cost="slow-copies",
    ),
    mode(
        "no-backpressure", "depth",
        "The host prepares as far ahead as it can: tokens in flight pile up.",
        "backpressure=off device_slots=64 host_slots=64", "M",
    ),
)  # fmt: skip

BATCHING = (
    mode(
        "static-batching", "batching",
        "Requests are served batch by batch: ended ones keep their rows as padding, the next wait.",
        "batching=static", workload="churn",
    ),
)  # fmt: skip

CARRY = (
    mode(
        "carry-add-stale", "carry-over",
        "The carried token is added to a placeholder that holds the token before: their sum.",
        "carry=add-stale", "T",
    ),
    mode(
        "carry-through-host", "carry-over",
        "Each token passes through the host before the next step is prepared.",
        "carry=host", "G", cause="tokens pass through the host",
    ),
    mode(
        "no-carry", "carry-over",
        "The placeholder is fed to the model in place of the token.",
        "carry=none", "T",
    ),
    mode(
        "carry-by-row", "carry-over",
        "The carried token is looked up by row number: right until a row moves.",
        "carry_key=row", "T", workload="churn",
    ),
    mode(
        "carry-partial-prefill", "carry-over",
        "What an unfinished prompt chunk samples is carried into the next chunk.",
        "carry_partial_prefill=leaked", "T", workload="long-prompts",
    ),
    mode(
        "carry-ring-wraps", "carry-over",
        "The ring of carried tokens has half the places it needs: rows overwrite each other.",
        "carry_ring=wraps", "T",
    ),
)  # fmt: skip

LENGTHS = (
    mode(
        "zombie-leaked", "lengths",
        "The row of a request that has ended is committed all the same.",
        "zombie=leaked", "T I", workload="churn",
    ),
    mode(
        "zombie-unconsumed", "lengths",
        "The row of an ended request is skipped without consuming its result: later rows shift.",
        "zombie=unconsumed", "T", workload="churn",
    ),
    mode(
        "no-drain", "lengths",
        "The loop ends with a batch still in flight: its tokens are never committed.",
        "drain=off", "T I", workload="long-prompts",
    ),
)  # fmt: skip

HOST_SYNCS = (
    mode(
        "item-sync", "host syncs",
        "One .item() in the loop: the host waits for the device every step.",
        "item_sync=on", "G", cause=".item()",
    ),
    mode(
        "print-tensor", "host syncs",
        "A device tensor is printed every step.",
        "print_tensor=on", "G", cause="print(tensor)",
    ),
    mode(
        "device-sync-each-step", "host syncs",
        "A device-wide synchronise every step, left over from timing.",
        "device_sync_each_step=on", "G", cause="device synchronize each step",
    ),
    mode(
        "cold-allocation", "host syncs",
        "A fresh device allocation every step: each waits for the device.",
        "first_touch_alloc=on", "G", cause="cold allocation",
    ),
    mode(
        "host-sampling", "host syncs",
        "The logits are copied out and sampled on the host every step.",
        "sampling=host", "G", cause="tokens pass through the host",
    ),
    mode(
        "global-rng", "host syncs",
        "One global random generator: what is drawn depends on the order of execution.",
        "rng=global", "T", workload="sampled", seed=14,
    ),
    mode(
        "blocking-launch", "host syncs",
        "Every launch waits for its own end: good for debugging, not for speed.",
        "blocking_launch=on", "G", cause="blocking launch",
    ),
    mode(
        "host-clock-timer", "host syncs",
        "GPU time is read from the host's clock right after the launch: far too short.",
        "timer=host-clock",
    ),
)  # fmt: skip

ALL = (
    *CORRECT, *ORDER, *STREAMS, *CONTENTION, *BUFFERS, *DEPTH, *BATCHING, *CARRY, *GRAPHS, *LENGTHS,
    *ENDS, *IDENTITY, *KV,
    *ALLOCATOR, *HOST_SYNCS, *HOST_STATE, *SPECULATION, *FAULTS,
)  # fmt: skip

MODES: dict[str, Mode] = {row.name: row for row in ALL}


def mode_named(name: str) -> Mode:
    """The mode of that name. Raises ModeError with the way to find the names."""
    if name not in MODES:
        raise ModeError(f"no mode {name!r}: `python -m engine modes` lists them")
    return MODES[name]
