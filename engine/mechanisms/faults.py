"""Toggles of failures: what is made to fail, and what is done about it."""

from dataclasses import dataclass

from engine.mechanisms.toggles import toggle as _toggle


@dataclass(frozen=True)
class FaultMechanisms:
    """A part of `engine.mechanisms.table.Mechanisms`."""

    inject: str = _toggle(
        "faults", "none | kernel | copy | host",
        "Nothing fails. kernel, copy: one of a batch's kernels or input copies does nothing, and "
        "the host hears of it when it waits for the batch; host: the host's own step raises an "
        "exception. Only that batch's requests may be touched, and the loop goes on.",
        "E: the batch's requests fail or retry by policy, KV whole, loop alive",
        "TensorRT-LLM #13318",
    )  # fmt: skip
    on_fault: str = _toggle(
        "faults", "fail | retry",
        "What becomes of the requests of a batch that failed. fail: they end, their rows in "
        "flight are thrown away; retry: they are computed again from their committed tokens.",
        "retry: the same tokens",
    )  # fmt: skip
