"""Scenes about a request's ends and its identity; a part of the table in `engine.modes.table`.

`expect` is transcribed from the catalogue of mechanisms by hand.
"""

from engine.modes.mode import mode

ENDS = (
    mode(
        "eos-remove", "lengths",
        "Before each launch the host waits for all results, so that no ended row is launched.",
        "eos_policy=remove", "G", cause="ended rows are removed before launch",
    ),
    mode(
        "eos-mask", "lengths",
        "On the device: a row whose token is EOS writes no KV and samples EOS again.",
        "eos_policy=mask", workload="churn",
    ),
    mode(
        "eos-cap", "lengths",
        "No look at EOS: rows run to their longest length; what follows EOS is thrown away.",
        "eos_policy=cap", workload="churn",
    ),
    mode(
        "length-check-late", "lengths",
        "The host sees only at commit that a request has all its tokens: one wasted row each.",
        "length_check=late",
    ),
)  # fmt: skip

IDENTITY = (
    mode(
        "result-by-id", "identity",
        "Results are matched by id alone: one used again gets the old request's last token.",
        "result_key=request-id", "T", workload="same-clients",
    ),
    mode(
        "result-by-arrival", "identity",
        "Results are handed out in the order of arrival, where an id used again keeps its place.",
        "result_key=arrival-order", "T", workload="same-clients",
    ),
    mode(
        "stale-rows", "identity",
        "Rows of ended requests stay in the batch and write into blocks that others own now.",
        "row_invalidate=kept", "T I", workload="churn",
    ),
)  # fmt: skip
