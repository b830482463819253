"""Workloads of a few listed requests, for what needs the text itself and shows within some thirty
steps: grammars, drafts, and random numbers that depend on who asks first.

Each text is (prompt, longest output in tokens).
"""

from dataclasses import replace

from engine.workloads.repeats import REPEATS
from engine.workloads.workload import Prompt, Workload

_SHORT = {0: 36, 1: 36, 2: 16, 5: 28, 7: 18}

BEGUN_AGAIN = tuple((REPEATS[number][0], length) for number, length in _SHORT.items())
"""Texts that begin again."""

RECORDS = (
    ('{"day": "Monday", "place": "harbour", ', 30),
    ('{"witness": {"name": "Otto", ', 30),
    ('{"seen": true, "story": [', 30),
    ('{"seen": ', 20),
)
"""Beginnings of JSON texts, at places where few bytes are allowed."""

STORY = ("Mara the baker", 9)
"""A text that ends while the records go on, so that their rows move up."""

REPEATED_RECORDS = (
    ('{"owner": "Zora", "thing": "lantern", "friend": {"owner": ', 22),
    ('{"story": ["Mara lost her thimble", "Mara ', 22),
    ('{"seen": true, "place": "harbour", "next": {"seen": ', 22),
    ('{"name": "Otto", "job": "fisher", "name": ', 22),
)
"""Beginnings of JSON texts that repeat themselves a little."""

STOPPED = (
    ("Mara the baker lost her thimble under the", 30),
    ("Otto the fisher hauled up a", 30),
    ("Pia the pilot unfolded the map in the", 30),
    ("Ivan the clockmaker repaired the", 30),
    ("Nell the painter", 20),
    ("Tess the gardener", 20),
)
"""Texts most of which come to one of these stop strings: " the ", " a "."""

_FEW = Workload("few", batch=4, max_batched_tokens=96)
_FEW_RECORDS = replace(
    _FEW,
    name="few-records",
    about="Four JSON records and a short story on four rows, sampled at temperature 1.",
    requests=tuple(
        Prompt(text, length, grammar="" if (text, length) == STORY else "json")
        for text, length in (RECORDS[0], STORY, *RECORDS[1:])
    ),
    temperature=1.0,
)
_FEW_SAMPLED = replace(
    _FEW,
    name="few-sampled",
    about="Six texts at temperature 0.8 on four rows; most end at a stop string.",
    requests=tuple(Prompt(text, length, stop=(" the ", " a ")) for text, length in STOPPED),
    temperature=0.8,
    top_k=40,
)
_FEW_REPEATS = replace(
    _FEW,
    name="few-repeats",
    about="Five texts that begin again, on four rows, without drafts.",
    requests=tuple(Prompt(text, length) for text, length in BEGUN_AGAIN),
)
_FEW_DRAFTS = replace(
    _FEW_REPEATS,
    name="few-drafts",
    about="Five texts that begin again, on four rows, with up to four drafts a row.",
    speculate=4,
)
_FEW_CONSTRAINED_DRAFTS = replace(
    _FEW,
    name="few-constrained-drafts",
    about="Four JSON records that repeat themselves, at temperature 1, with up to three drafts.",
    requests=tuple(Prompt(text, length, grammar="json") for text, length in REPEATED_RECORDS),
    temperature=1.0,
    speculate=3,
)

FEW = (_FEW_RECORDS, _FEW_SAMPLED, _FEW_REPEATS, _FEW_DRAFTS, _FEW_CONSTRAINED_DRAFTS)
"""All of them."""
