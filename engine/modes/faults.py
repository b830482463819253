"""The scenes in which something fails; see `engine.modes.table`."""

from engine.modes.mode import mode

FAULTS = (
    mode(
        "kernel-error", "faults",
        "A kernel fails: its batch's requests end as failed, all others go on.",
        "inject=kernel", "E",
    ),
    mode(
        "copy-error", "faults",
        "An input copy fails: the batch computes nothing, the host hears of it at its wait.",
        "inject=copy", "E",
    ),
    mode(
        "host-exception", "faults",
        "The host raises an exception while it updates its state: the batch's tokens are lost.",
        "inject=host", "E",
    ),
    mode(
        "kernel-error-retry", "faults",
        "A kernel fails: its batch's requests are computed again from their committed tokens.",
        "inject=kernel on_fault=retry", "E",
    ),
)  # fmt: skip
