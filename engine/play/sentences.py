"""What the requests of a level say: a sentence each, whose words are the tokens.

A request knows its sentence by heart, in its KV block, and says the word that follows the last
one. So a wrong token is a word out of place, a stranger's word, or none.
"""

ROWS = 4
"""Requests in a batch."""

NOTHING = "·"
"""Token 0: what memory holds before anything is written, and what a query without a match gives."""

_LINES = (
    "owls watch the quiet moon",
    "rain falls on green roofs",
    "boats drift past old towers",
    "bees hum under warm leaves",
    "trains leave before first light",
    "cats sleep near blue stoves",
    "bakers sing while bread rises",
    "kites climb over wide fields",
    "foxes cross our frozen pond",
    "clocks tick through long nights",
    "sailors mend their torn nets",
    "wolves answer every far bell",
    "grapes ripen behind stone walls",
    "snow hides all narrow paths",
    "pipers march beyond seven hills",
    "lamps glow along dark canals",
)
VOCABULARY = (NOTHING, *dict.fromkeys(word for line in _LINES for word in line.split()))
"""Words by token."""

_TOKEN = {word: token for token, word in enumerate(VOCABULARY)}
SENTENCES = tuple(tuple(_TOKEN[word] for word in line.split()) for line in _LINES)
"""Tokens of every request, each of another row of memory than the one before."""

GROUPS = len(SENTENCES) // ROWS
"""Groups of requests that are served together."""

LENGTH = len(SENTENCES[0])


def group_sentences(group: int) -> tuple[tuple[int, ...], ...]:
    """The sentences of the requests of a group, by row."""
    return SENTENCES[group * ROWS : (group + 1) * ROWS]


def word(token: int) -> str:
    """A token as it is read."""
    return VOCABULARY[token]
