"""Scenes of state that lives on the host: grammars, penalties, stop strings.

`expect` is transcribed from the catalogue of mechanisms by hand.
"""

from engine.modes.mode import mode

HOST_STATE = (
    mode(
        "constrained", "host state",
        "Records under a JSON grammar: the forward pass is launched at once, its sampling waits "
        "until the host has followed the last token.",
        workload="records",
    ),
    mode(
        "penalised", "host state",
        "Penalties on what a text has used: sampling waits for the host's history.",
        workload="penalised",
    ),
    mode(
        "stops", "host state",
        "Texts end before a stop string, and what may become one is held back.",
        workload="stop-strings",
    ),
    mode(
        "stale-grammar", "host state",
        "Masks are built before the last token is known: the text leaves the grammar.",
        "grammar=stale", "T I", workload="records",
    ),
    mode(
        "row-shifted-grammar", "host state",
        "Masks stand in the rows of the batch before: when rows move, each has a neighbour's.",
        "grammar=row-shifted", "T I", workload="records",
    ),
    mode(
        "stale-penalties", "host state",
        "The history ends in a placeholder: the newest token goes unpunished for a step.",
        "penalties=stale", "T", workload="penalised",
    ),
    mode(
        "streamed-early", "host state",
        "Text is streamed as it is committed, with the beginning of a stop string in it.",
        "stop_string=streamed-early", "I", workload="stop-strings",
    ),
)  # fmt: skip
