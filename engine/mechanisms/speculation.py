"""Toggles of speculative decoding."""

from dataclasses import dataclass

from engine.mechanisms.toggles import toggle as _toggle


@dataclass(frozen=True)
class SpeculationMechanisms:
    """A part of `engine.mechanisms.table.Mechanisms`."""

    accept_length: str = _toggle(
        "speculation", "device | item",
        "How many drafts were accepted is consumed on the device; the host plans with the most "
        "there can be. item: the host reads it after every launch.",
        "G",
    )  # fmt: skip
    commit: str = _toggle(
        "speculation", "accepted | all",
        "Only accepted drafts are committed. all: what was sampled behind a rejected one, too.",
        "T I", "vllm #36013",
    )  # fmt: skip
    rollback: str = _toggle(
        "speculation", "freed | kept",
        "KV blocks that were reserved for rejected drafts go back to the pool.",
        "M", "vllm #36013",
    )  # fmt: skip
    rollback_state: str = _toggle(
        "speculation", "set-back | kept",
        "Masks follow the grammar along the drafts; then its state is set back to the last "
        "accepted token.",
        "T I", "vllm #36013",
    )  # fmt: skip
