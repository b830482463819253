"""Toggles of the life of KV blocks and of requests under memory pressure."""

from dataclasses import dataclass

from engine.mechanisms.toggles import toggle as _toggle


@dataclass(frozen=True)
class KvMechanisms:
    """A part of `engine.mechanisms.table.Mechanisms`."""

    reserve: str = _toggle(
        "KV", "counts-in-flight | ignores",
        "A request joins only when the pool has room for what the batches in flight may yet ask "
        "for, too (where blocks are reserved on demand).",
        "M (over-admission, then preemption storms)", "vllm #45257",
    )  # fmt: skip
    window: str = _toggle(
        "KV", "computed | scheduled",
        "Blocks behind a sliding window go back once every batch that reads them is done: by the "
        "computed length. scheduled: batches in flight still read them.",
        "T H(WAR kv blocks) with a second writer", "vllm #47728",
    )  # fmt: skip
    kv_release: str = _toggle(
        "KV", "deferred | at-once",
        "Blocks of ended and preempted requests go back when their last batch is done. at-once: "
        "a copy on another stream overwrites what a batch in flight still uses.",
        "H(WAR, WAW kv blocks) with a second writer, T by timing", "vllm #45357, sglang #18744",
    )  # fmt: skip
    free_on: str = _toggle(
        "KV", "computed | scheduled",
        "A request is done when its last token has been computed. scheduled: its blocks are freed "
        "when the last row is merely scheduled.",
        "T I, and H with a second writer", "vllm #47728",
    )  # fmt: skip
    publish_on: str = _toggle(
        "KV", "committed | scheduled",
        "The prefix cache offers a block once its keys and values are known to be written.",
        "T in another request", "sglang #24745",
    )  # fmt: skip
    cancel: str = _toggle(
        "KV", "deferred | at-once | twice",
        "A cancelled request's blocks go back once, when none of its rows is in flight.",
        "at-once: H(WAR, WAW kv blocks) with a second writer; twice: I (double free)",
        "vllm #33377, mini-sglang #111, sglang-jax #982",
    )  # fmt: skip
    preempt_discard: str = _toggle(
        "KV", "exact | nothing | too-much",
        "Of a preempted request exactly the results in flight are thrown away.",
        "nothing: T I (duplicate tokens); too-much: T I (lost tokens)",
        "vllm #47900, #42117, TensorRT-LLM #10943",
    )  # fmt: skip
