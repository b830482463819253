"""The scenes of KV blocks and of requests under memory pressure; see `engine.modes.table`."""

from engine.modes.mode import mode

KV = (
    mode(
        "plan-ignores-flight", "KV",
        "Requests join as long as their own blocks fit: those in flight run out and are preempted.",
        "reserve=ignores", "M", workload="recompute",
    ),
    mode(
        "window-on-scheduled", "KV",
        "A sliding window's blocks are freed by what is scheduled: batches in flight read them.",
        "window=scheduled depth=4 device_slots=4 host_slots=4", "T H", hazards="WAR kv blocks",
        workload="sliding-window",
    ),
    mode(
        "kv-released-at-once", "KV",
        "Blocks go back while a batch in flight uses them, and a swapped request lands in them.",
        "kv_release=at-once", "T H", hazards="WAR kv blocks,WAW kv blocks", workload="cancel",
    ),
    mode(
        "freed-on-scheduled", "KV",
        "A request counts as done when its last token is scheduled: its blocks are overwritten.",
        "free_on=scheduled", "T H I", hazards="WAR kv blocks,WAW kv blocks", workload="swap",
    ),
    mode(
        "published-on-scheduled", "KV",
        "A prefix block is offered before it is written: another request reads what is not there.",
        "publish_on=scheduled", "T", workload="shared-prefix",
    ),
    mode(
        "cancel-at-once", "KV",
        "A cancelled request's blocks go back at once, though its last row is in flight.",
        "cancel=at-once", "H", hazards="WAR kv blocks,WAW kv blocks", workload="cancel",
        cost="cpu-bound",
    ),
    mode(
        "cancel-twice", "KV",
        "The client's cancel and the end of the request both give the blocks back.",
        "cancel=twice", "I", workload="cancel",
    ),
    mode(
        "discard-nothing", "KV",
        "Results in flight for a preempted request are committed, and computed once more.",
        "preempt_discard=nothing", "T I", workload="recompute",
    ),
    mode(
        "discard-too-much", "KV",
        "One result too many is thrown away after a preemption: a token is lost.",
        "preempt_discard=too-much", "T I", workload="recompute",
    ),
)  # fmt: skip
