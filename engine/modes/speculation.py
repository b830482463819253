"""Scenes of speculative decoding: drafts of which the model accepts some.

`expect` is transcribed from the catalogue of mechanisms by hand.
"""

from engine.modes.mode import mode

SPECULATION = (
    mode(
        "speculation", "speculation",
        "Up to four drafts a row, found in the request's own text and verified on the device.",
        workload="drafts",
    ),
    mode(
        "accepted-length-item", "speculation",
        "The host reads after every launch how many drafts were accepted: it waits for the device.",
        "accept_length=item", "G", cause="accepted length .item()", workload="drafts",
    ),
    mode(
        "commit-rejected", "speculation",
        "What the model said behind a rejected draft is committed, too.",
        "commit=all", "T I", workload="drafts",
    ),
    mode(
        "rejected-kv-kept", "speculation",
        "KV blocks reserved for rejected drafts stay with their request.",
        "rollback=kept", "M", workload="drafts",
    ),
    mode(
        "constrained-drafts", "speculation",
        "Drafts under a JSON grammar: the masks of a row follow the grammar along its drafts.",
        workload="constrained-drafts",
    ),
    mode(
        "rejected-state-kept", "speculation",
        "The grammar's state stays where rejected drafts have led it.",
        "rollback_state=kept", "T I", workload="constrained-drafts",
    ),
)  # fmt: skip
