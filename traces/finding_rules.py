"""What each cause of idle time means and what to do about it, as data.

A part of a gap belongs to the first rule whose pattern its cause matches, and to one alone, so
the findings of the gaps add up to the idle time. A mechanism is a toggle of the lab with its
right value, as the lab's command line and pages spell it.
"""

import re
from functools import lru_cache
from typing import NamedTuple

HIGH, MEDIUM, LOW = "high", "medium", "low"
INCOMPLETE = "incomplete trace"
BETWEEN_STEPS = "CPU work between steps"
BETWEEN_LAUNCHES = "CPU work between launches"
"""What takes its place within a step, and where no two steps are known."""
LATENCY, STARVED = "launch latency", "starved by launches"
GRAPH_LATENCY = "graph launch latency"
"""What takes the place of these where what is launched is a graph already."""
HOST_BOUND = "host is the bottleneck"
"""What takes the place of `BETWEEN_STEPS` in a run whose steps overlap already."""
OVERLAPPED_RUN = "gaps of an overlapped run"
"""The same where the launches run ahead of the device, so that the host is not the bottleneck."""
AT_START, AT_END = "start of the run", "end of the run"
"""What takes the place of all that overlap would cure, where there is no kernel yet or no more."""

OVERLAP = "depth=2"
NEVER = r"(?!)"
"""No cause fits: another rule's parts are given to this one."""


class Rule(NamedTuple):
    """`pattern` is searched in the cause of a part; `within_ns` is the longest gap that counts
    (None: any). `mechanism` is "toggle=value", empty where the lab has none."""

    name: str
    pattern: re.Pattern[str]
    confidence: str
    mechanism: str
    advice: str
    within_ns: int | None = None


def _rule(
    name: str,
    pattern: str,
    confidence: str,
    mechanism: str,
    advice: str,
    within_ns: int | None = None,
) -> Rule:
    return Rule(name, re.compile(pattern, re.IGNORECASE), confidence, mechanism, advice, within_ns)


RULES = (
    _rule(
        INCOMPLETE, r"^cannot tell", LOW, "",
        "Record again: from before the first launch to after the last result, with what the "
        "host and the device do, and no part cut out.",
    ),
    _rule(
        "accepted length read by the host", r"accepted length", HIGH, "accept_length=device",
        "Consume the number of accepted drafts on the device, and plan with the most there can be.",
    ),
    _rule(
        "tensor printed", r"print\(", HIGH, "print_tensor=off",
        "Do not print or log device tensors in the loop; log what was copied out anyway.",
    ),
    _rule(
        "scalar read", r"\.item\(\)", HIGH, "item_sync=off",
        "Replace .item(), .tolist(), bool(tensor) and nonzero() in the loop: keep the value on "
        "the device, or copy it out without blocking and read it a step later.",
    ),
    _rule(
        "pageable copy", r"pageable", HIGH, "memory=pinned",
        "Allocate the host buffers with pin_memory=True and copy with non_blocking=True.",
    ),
    _rule(
        "blocking copy", r"blocking copy|^(?:cuda|cu|hip)Memcpy(?!\w*Async)", HIGH,
        "sync_d2h=event",
        "Copy with non_blocking=True from or into pinned memory, record an event behind the copy, "
        "and wait for that event only where the value is read.",
    ),
    _rule(
        "device-wide synchronise in each step", r"synchronize each step", HIGH,
        "device_sync_each_step=off", "Remove torch.cuda.synchronize() from the loop.",
    ),
    _rule(
        "device-wide synchronise",
        r"device synchronize|(?:cuda|hip)DeviceSynchronize|(?:cu|hip)Ctx\w*Synchronize", HIGH,
        "sync_d2h=event",
        "Wait for the one event that stands behind the results, not for the whole device.",
    ),
    _rule(
        "stream synchronise", r"StreamSynchronize|QueueFinish", HIGH, "sync_d2h=event",
        "Record an event behind the copy of the results and wait for it, one step later.",
    ),
    _rule(
        "blocking launches", r"blocking launch", HIGH, "blocking_launch=off",
        "Unset CUDA_LAUNCH_BLOCKING (HIP_LAUNCH_BLOCKING, AMD_SERIALIZE_KERNEL).",
    ),
    _rule(
        "allocation in the loop",
        r"cold allocation|(?:cuda|cu|hip)(?:\w*Malloc|\w*Free(?!ze)|Mem\w*Alloc|HostAlloc"
        r"|HostRegister|MemCreate|MemMap|MemUnmap|MemRelease)", HIGH, "first_touch_alloc=off",
        "Allocate all device and pinned memory before the loop (a warm-up of the largest shapes); "
        "look for a cache that is emptied or too full to be reused.",
    ),
    _rule(
        "copies on the compute stream", r"share the compute stream", HIGH, "streams=three",
        "Put the copies on streams of their own and order them with events.",
    ),
    _rule(
        "both copies on one stream", r"share one stream", HIGH, "streams=three",
        "Give the copies in and the copies out a stream each.",
    ),
    _rule(
        "default stream", r"default stream", HIGH, "stream_kind=non-blocking",
        "Keep all work of the loop off the legacy default stream, or make its streams "
        "non-blocking.",
    ),
    _rule(
        "one set of device buffers", r"device slot reuse", HIGH, "device_slots=2",
        "Give each batch in flight input and output buffers of its own.",
    ),
    _rule(
        "tokens pass through the host", r"through the host", HIGH, "carry=select",
        "Leave sampled tokens on the device: the next batch's inputs pick them up there.",
    ),
    _rule(
        "ended requests removed first", r"ended rows", HIGH, "eos_policy=discard",
        "Launch the next batch before it is known who has ended, and throw the surplus token away.",
    ),
    _rule(
        "copies on the critical path", r"^(?:h2d|d2h|device) copy$|^memset$", MEDIUM, OVERLAP,
        "Copy the next batch's inputs and the last one's results while the device computes.",
    ),
    _rule(
        "module loading and compilation",
        r"^slow launch call$|^Lazy Function|Module|Library(?:Load|Get)|FuncGetAttributes"
        r"|FuncSetAttribute|compile|Graph(?:Instantiate"
        r"|\w*Capture)|nvrtc", MEDIUM, "",
        "Warm up every shape before the loop (and before recording), so that nothing is loaded, "
        "compiled or captured in it.",
    ),
    _rule(
        "held up on the device", r"^queued in time|^Command Buffer Full", LOW, "",
        "Look for stream waits and for other processes: the work was launched in time and had to "
        "wait on the device.",
    ),
    _rule(
        "profiler overhead",
        r"\(Profiler\)$|\(overhead\)$", HIGH, "",
        "Record less: fewer steps, no stacks or shapes that are not needed. This time is the "
        "profiler's own, and a run without it does not spend it.",
    ),
    _rule(
        LATENCY, r"^start latency|^short gaps", MEDIUM, "graphs=shared",
        "Replay the step from a CUDA graph, or fuse small kernels: each launch costs a few "
        "microseconds.",
    ),
    _rule(
        STARVED, r"^launch|^CPU operators|^Python code|Launch", MEDIUM,
        "graphs=shared",
        "The host cannot launch as fast as the device computes: capture the step in a CUDA graph, "
        "compile it, or use larger batches.", within_ns=1_000_000,
    ),
    _rule(
        "untraced CPU", r"untraced", LOW, OVERLAP,
        "Record with stacks (with_stack=True) or NVTX ranges: the launching thread did something "
        "that the trace does not show, such as plain Python, input and output, or the GIL.",
    ),
    _rule(
        "data loading", r"^data loading$", HIGH, "",
        "Load batches in worker processes that run ahead: num_workers above 0, pin_memory=True, "
        "persistent_workers=True.",
    ),
    _rule(
        HOST_BOUND, NEVER, MEDIUM, "",
        "Do less on the host in each step: the steps overlap already, so a step takes max(G, C + "
        "F), and that is the host's C + F. Launch less (graphs, compiled or fused kernels, larger "
        "batches), keep what need not be worked out anew in each step, and move the rest, such as "
        "loading, logging or what is done with the results, to another process.",
    ),
    _rule(
        OVERLAPPED_RUN, NEVER, MEDIUM, "",
        "Look at where these gaps are: the steps overlap already. Look for the single steps in "
        "which the host took longer than the device.",
    ),
    _rule(
        GRAPH_LATENCY, NEVER, MEDIUM, "",
        "Launch the graph earlier, while the device still works, and give it fewer nodes (fuse "
        "kernels, merge copies). Replay it once before the loop, so that its upload is not part of "
        "it. This is a graph already: capturing another saves nothing.",
    ),
    _rule(
        BETWEEN_LAUNCHES, NEVER, MEDIUM, "graphs=shared",
        "Give the device more with each launch, and the host less to do between two: fewer and "
        "larger kernels (larger batches, compiled or fused operators), a CUDA graph, less Python.",
    ),
    _rule(
        AT_START, NEVER, HIGH, "",
        "Nothing hides the first step's host work and copies: there are no kernels yet. It comes "
        "once a run, so take a figure of steady work from a longer run, or without its first step.",
    ),
    _rule(
        AT_END, NEVER, HIGH, "",
        "Nothing hides the last results' copies and host work: no kernels are left. It comes once "
        "a run, so take a figure of steady work from a longer run, or without its last step.",
    ),
    _rule(
        BETWEEN_STEPS, r"", MEDIUM, OVERLAP,
        "Prepare the next batch while the device computes this one (asynchronous scheduling), or "
        "do less on the host between two launches.",
    ),
)  # fmt: skip
"""The last one takes what no other does."""


def rule_of(cause: str, gap_ns: int) -> Rule:
    """The rule for a part with this cause in a gap of this length (ns)."""
    return next(
        rule for rule in _fitting(cause) if rule.within_ns is None or gap_ns < rule.within_ns
    )


@lru_cache(maxsize=4096)
def _fitting(cause: str) -> tuple[Rule, ...]:
    """The rules whose pattern fits: a long trace asks for few causes very often."""
    return tuple(rule for rule in RULES if rule.pattern.search(cause))
