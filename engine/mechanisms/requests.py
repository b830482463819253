"""Toggles of what a request is owed: its lengths, its identity, and the state it keeps."""

from dataclasses import dataclass

from engine.mechanisms.toggles import toggle as _toggle


@dataclass(frozen=True)
class RequestMechanisms:
    """A part of `engine.mechanisms.table.Mechanisms`."""

    # -- lengths
    eos_policy: str = _toggle(
        "lengths", "discard | remove | mask | cap",
        "A request ends by EOS one batch before the host knows. discard: its next row is thrown "
        "away; remove: the host waits for all results before each launch; mask: on the device "
        "that row writes no KV and samples EOS again; cap: the row runs on to its longest length.",
        "remove: G; all: tokens identical", "TensorRT-LLM, vLLM, transformers",
    )  # fmt: skip
    length_check: str = _toggle(
        "lengths", "ahead | late",
        "A row is not launched once its request has all its tokens scheduled. late: the host "
        "looks at the length only when it commits.",
        "late: one wasted row a request (shown, never streamed)",
        "vllm #27922, TensorRT-LLM #8587",
    )  # fmt: skip
    zombie: str = _toggle(
        "lengths", "skipped | leaked | unconsumed",
        "A row whose request has ended is skipped, and its place in the results consumed.",
        "leaked: I T (tokens past EOS); unconsumed: T for every later row",
        "transformers' row index",
    )  # fmt: skip
    drain: bool = _toggle(
        "lengths", "on | off",
        "When nothing is left to schedule, the batches in flight are still committed.",
        "T (tokens missing) I", "transformers #48303",
    )  # fmt: skip
    # -- identity
    result_key: str = _toggle(
        "identity", "request-epoch | request-id | arrival-order",
        "A result goes to the request whose row it is: id and epoch. request-id: to whoever has "
        "that id now; arrival-order: to the batch's requests in the order in which ids first came.",
        "T for the reused id", "transformers matches on a string id",
    )  # fmt: skip
    row_invalidate: str = _toggle(
        "identity", "cleared | kept",
        "Rows of ended requests are cleared before the next launch. kept: they go on being "
        "launched, with block tables whose blocks are no longer theirs.",
        "T I",
    )  # fmt: skip
    # -- host state: what sampling and streaming need from the host
    grammar: str = _toggle(
        "host state", "deferred | stale | row-shifted",
        "Sampling waits until the host has followed the last token. stale: it does not; "
        "row-shifted: the masks stand in the rows of the batch before.",
        "illegal JSON: T I", "vllm #26292, #49694; TensorRT-LLM #6000",
    )  # fmt: skip
    penalties: str = _toggle(
        "host state", "current | stale",
        "Penalties count every token of the output. stale: the newest is a placeholder.",
        "T", "vllm #26467",
    )  # fmt: skip
    stop_string: str = _toggle(
        "host state", "held-back | streamed-early",
        "Text that may become part of a stop string is held back until a token decides.",
        "I (text past the stop)",
    )  # fmt: skip
