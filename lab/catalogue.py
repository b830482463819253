"""Every word of the interface, looked up by key in one file a language.

`t` is for the interface's own sentences. `t_or` is for what the engine or a trace already
says in English (mechanisms, modes, causes): a language file may translate it under a key,
and English shows the source. Texts from files a user opened never come through here.
"""

import json
from functools import cache
from pathlib import Path

FOLDER = Path(__file__).parent / "text"
LANGUAGE = "en"


@cache
def texts(language: str = LANGUAGE) -> dict[str, str]:
    """All texts of a language by key."""
    entries: dict[str, str] = json.loads((FOLDER / f"{language}.json").read_text("utf-8"))
    return entries


def t(key: str, **values: object) -> str:
    """The text under `key` with its {placeholders} filled. Raises KeyError for an unknown key."""
    return texts()[key].format(**values)


def t_or(key: str, source: str) -> str:
    """The text under `key`, or `source` where the language has none."""
    return texts().get(key, source)
