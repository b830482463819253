"""Every mechanism that can be switched off, as data.

One frozen dataclass holds all toggles. Each field carries its group, its values (the
correct one first), what it protects, and what is seen when it is wrong. The command
line, the pages, the URL, the lessons and the tests read this one table; the code that
implements a mechanism reads the field.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from engine.mechanisms.device import DeviceMechanisms
from engine.mechanisms.faults import FaultMechanisms
from engine.mechanisms.kv import KvMechanisms
from engine.mechanisms.requests import RequestMechanisms
from engine.mechanisms.speculation import SpeculationMechanisms
from engine.mechanisms.toggles import Info, Toggle, decode, encode
from engine.mechanisms.toggles import toggle as _toggle

__all__ = [
    "ASYNC", "BY_NAME", "GROUPS", "MOST", "SYNC", "TABLE",
    "Info", "MechanismError", "Mechanisms", "Toggle", "encode", "parse",
]  # fmt: skip

GROUPS = (
    "order", "streams", "buffers", "depth", "batching", "carry-over", "graphs", "lengths",
    "identity", "KV", "host syncs", "host state", "speculation", "allocator", "faults",
)  # fmt: skip
"""The groups in the order of the catalogue."""


class MechanismError(ValueError):
    """An unknown toggle or value; the message is one sentence."""


@dataclass(frozen=True)
class Mechanisms(
    RequestMechanisms, DeviceMechanisms, KvMechanisms, SpeculationMechanisms, FaultMechanisms
):
    """The correct asynchronous engine; every field can be set wrong."""

    # -- order: who waits for whom
    wait_h2d: bool = _toggle(
        "order", "on | off",
        "The compute stream waits for h2d_done: no kernel reads inputs that have not arrived.",
        "T H(RAW device inputs)", "sglang #18744, #18803",
    )  # fmt: skip
    wait_compute: bool = _toggle(
        "order", "on | off",
        "The D2H stream waits for compute_done: no result is copied before it exists.",
        "T H(RAW device outputs)", "vllm #31584",
    )  # fmt: skip
    sync_d2h: str = _toggle(
        "order", "event | off | device",
        "The host waits for d2h_done of the one batch it reads, and for nothing else.",
        "off: T H(RAW host outputs); device: G", "vllm #36013, pytorch #86264, #137951",
    )  # fmt: skip
    reuse_host_input: bool = _toggle(
        "order", "on | off",
        "The host rewrites a slot's input buffers only after h2d_done of its last batch.",
        "H(WAR host inputs), T by timing, where host slots < depth", "sglang #26380, vllm #24527",
    )  # fmt: skip
    reuse_device_input: bool = _toggle(
        "order", "on | off",
        "H2D into a slot only after compute_done of the last batch that read it.",
        "H(WAR device inputs), T by timing, where device slots < depth", "vllm #48085",
    )  # fmt: skip
    reuse_device_output: bool = _toggle(
        "order", "on | off",
        "Compute writes a slot's outputs only after d2h_done of the last batch that wrote them.",
        "H(WAR device outputs), T by timing, where device slots < depth", "sglang #26380",
    )  # fmt: skip
    reuse_host_output: bool = _toggle(
        "order", "on | off",
        "D2H into a slot only after the host has read the slot's last batch.",
        "H(WAR host outputs), T by timing, where host slots < depth", "vllm #24527",
    )  # fmt: skip
    record_point: str = _toggle(
        "order", "after | early",
        "compute_done is recorded behind the last kernel of the step.",
        "H(RAW device outputs), T by timing", "sglang #35748",
    )  # fmt: skip
    wait_order: str = _toggle(
        "order", "after-record | before-record",
        "The wait for h2d_done is issued after its record; before it, it is a silent no-op.",
        "as wait_h2d off: T H(RAW device inputs)",
    )  # fmt: skip
    # -- streams
    streams: str = _toggle(
        "streams", "three | two-copies | two-h2d | two-d2h | one | default | d2h-default",
        "H2D, compute and D2H each have a stream. two-copies: both copies share one; two-h2d: "
        "H2D shares the compute stream; two-d2h: D2H shares it; d2h-default: D2H on the default "
        "stream.",
        "one, default, two-h2d, two-d2h: G (copies on the compute stream do not overlap it); "
        "two-copies: G (D2H holds up the next H2D)",
        "vLLM uses two, mini-sglang two",
    )  # fmt: skip
    stream_kind: str = _toggle(
        "streams", "non-blocking | blocking",
        "PyTorch makes non-blocking streams: no implicit order with the legacy default stream.",
        "blocking: G (with D2H on the default stream); non-blocking: T H (without events)",
        "PyTorch's sanitizer documentation uses this race",
    )  # fmt: skip
    # -- buffers
    device_slots: int = _toggle(
        "buffers", "2 | 1 | 3 | 4",
        "Each batch in flight has device buffers of its own.",
        "1: G, with reuse_device_input off (single buffer) T H(WAR device inputs)",
        "transformers keeps pairs; vllm #48085",
    )  # fmt: skip
    host_slots: int = _toggle(
        "buffers", "2 | 1 | 3 | 4",
        "Each batch in flight has host buffers of its own.",
        "1: with reuse_host_input off H(WAR host inputs), T when the copy outlasts the host",
        "vllm #24527, #25279, #31841; TensorRT-LLM #15546",
    )  # fmt: skip
    fence: str = _toggle(
        "buffers", "whole | partial",
        "h2d_done is recorded behind every input copy. partial: the block table is left out.",
        "H on that tensor only", "vllm #25279",
    )  # fmt: skip
    memory: str = _toggle(
        "buffers", "pinned | pageable",
        "Host buffers are pinned, so that copies run without the host.",
        "G (the host is blocked); data right", "vllm-ascend #4113, vllm #53491",
    )  # fmt: skip
    metadata: str = _toggle(
        "buffers", "snapshot | shared",
        "Each batch keeps its own list of rows. shared: all batches share one mutable list.",
        "T I", "sglang #1712",
    )  # fmt: skip
    # -- depth
    depth: int = _toggle(
        "depth", "2 | 1 | 3 | 4",
        "Batches in flight: 1 is the synchronous loop, 2 hides the host behind the device.",
        "with fewer slots and the reuse edges off: H(WAR host inputs, WAR device inputs, "
        "WAR device outputs, WAR host outputs), T by timing",
    )  # fmt: skip
    backpressure: bool = _toggle(
        "depth", "on | off",
        "The host stops preparing when `depth` batches are in flight.",
        "M, and cancels take effect late",
    )  # fmt: skip
    loop: str = _toggle(
        "depth", "pipelined | ready-queue",
        "In which order the host moves. ready-queue: it retires what is complete, prepares and "
        "submits what needs no pending result, and sleeps only when nothing can move.",
        "nothing: the same tokens",
    )  # fmt: skip
    # -- batching
    batching: str = _toggle(
        "batching", "continuous | static",
        "A request joins as soon as a row is free. static: only when the whole batch has ended.",
        "the same tokens in more steps: rows of ended requests are computed as padding",
    )  # fmt: skip
    # -- carry-over
    carry: str = _toggle(
        "carry-over", "select | add | add-stale | host | none",
        "The token a request needs is still on the device: a mask picks it there. add: placeholder "
        "0 and an addition; add-stale: an addition over whatever the placeholder holds; host: "
        "through the host; none: the placeholder is used as the token.",
        "add-stale: T (token N + token N+1); host: G; none: T",
        "transformers uses select and -1",
    )  # fmt: skip
    carry_key: str = _toggle(
        "carry-over", "request | row",
        "The carried token is found by request. row: by the row's number.",
        "T when rows move", "vllm #51571, TensorRT-LLM #6136",
    )  # fmt: skip
    carry_partial_prefill: str = _toggle(
        "carry-over", "suppressed | leaked",
        "What a non-final prefill chunk samples is carried nowhere.",
        "T", "mini-sglang ef4367f",
    )  # fmt: skip
    carry_ring: str = _toggle(
        "carry-over", "large | wraps",
        "The ring of carried tokens has a place for every row in flight.",
        "T under concurrency, silent", "sglang-jax #1487",
    )  # fmt: skip
    # -- hidden host synchronisation
    item_sync: bool = _toggle(
        "host syncs", "off | on",
        "The loop reads no scalar. on: one .item() a step, which blocks the host until the device "
        "is done.",
        "G", "vllm #41429",
    )  # fmt: skip
    print_tensor: bool = _toggle(
        "host syncs", "off | on",
        "The loop prints no device tensor. on: it prints one a step, and so copies and waits.",
        "G", "vllm #43107",
    )  # fmt: skip
    device_sync_each_step: bool = _toggle(
        "host syncs", "off | on",
        "The loop waits for events alone. on: a device-wide synchronise a step.",
        "G", "vllm #43107",
    )  # fmt: skip
    first_touch_alloc: bool = _toggle(
        "host syncs", "off | on",
        "Device memory is allocated before the loop. on: each step allocates anew, and a cold pool "
        "synchronises the device.",
        "G", "vllm #41429",
    )  # fmt: skip
    sampling: str = _toggle(
        "host syncs", "device | host",
        "Tokens are sampled on the device. host: the logits are copied out every step.",
        "G, D2H bytes",
    )  # fmt: skip
    rng: str = _toggle(
        "host syncs", "counter | global",
        "Random numbers come from (seed, request, position), whatever the order of execution.",
        "T at temperature > 0: async draws in another order",
    )  # fmt: skip
    blocking_launch: bool = _toggle(
        "host syncs", "off | on",
        "Launches return at once. on (for debugging): each waits for its own end.",
        "G",
    )  # fmt: skip
    timer: str = _toggle(
        "host syncs", "events | host-clock",
        "GPU time is taken between device events. host-clock: read right after the launch.",
        "a wrong GPU time, shown as such",
    )  # fmt: skip

    def settings(self) -> dict[str, str]:
        """Every toggle that differs from the correct asynchronous engine, as text."""
        return {
            info.name: encode(getattr(self, info.name))
            for info in TABLE
            if encode(getattr(self, info.name)) != info.correct
        }

    def with_settings(self, settings: Mapping[str, str]) -> "Mechanisms":
        """A copy with toggles set from text. Raises MechanismError naming the wrong one."""
        changes: dict[str, Any] = {name: parse(name, text) for name, text in settings.items()}
        return replace(self, **changes)


def parse(name: str, value: str) -> bool | int | str:
    """The value of a toggle from its text. Raises MechanismError with one sentence."""
    info = BY_NAME.get(name)
    if info is None:
        raise MechanismError(f"no mechanism {name!r}: `python -m engine mechanisms` lists them")
    if info.is_number:
        if not re.fullmatch(r"[0-9]{1,9}", value) or not 1 <= int(value) <= MOST:
            raise MechanismError(f"{name} must be a whole number from 1 to {MOST}, not {value!r}")
        return int(value)
    if value not in info.values:
        raise MechanismError(f"{name} must be one of {', '.join(info.values)}, not {value!r}")
    return decode(value, info.values)


MOST = 64
"""The largest depth and slot count."""

TABLE: tuple[Info, ...] = tuple(
    sorted(
        (Info.of(item) for item in fields(Mechanisms)),
        key=lambda info: GROUPS.index(info.group) if info.group in GROUPS else len(GROUPS),
    )
)
BY_NAME: dict[str, Info] = {info.name: info for info in TABLE}

ASYNC = Mechanisms()
"""The correct asynchronous engine."""

SYNC = Mechanisms(depth=1)
"""The correct synchronous engine: one batch in flight."""
