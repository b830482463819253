"""Every word of the interface, looked up by key in the files of a language.

`t` is for the interface's own sentences (`zh.json`). `t_or` is for what the engine or a trace
already says in English (modes, mechanisms, causes): another language translates it under a key
(`zh.engine.json`), and English shows the source. Sentences that were put together around values
have no key: `lab.sentences`. Texts from files a user opened never come
through here.

Which language is asked for, whoever draws says (`lab.language`); what a language lacks is shown
in English.
"""

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path

FOLDER = Path(__file__).parent / "text"
LANGUAGE = "en"
LANGUAGES = {"en": "English", "zh": "中文"}
"""Languages by code, each called as it calls itself."""


@cache
def texts(language: str = LANGUAGE) -> dict[str, str]:
    """All texts of a language by key; what the engine says is in a file of its own."""
    entries: dict[str, str] = {}
    for path in (FOLDER / f"{language}.json", FOLDER / f"{language}.engine.json"):
        entries |= json.loads(path.read_text("utf-8")) if path.exists() else {}
    return entries


def english() -> str:
    """The language where nobody has said another."""
    return LANGUAGE


_asked: list[Callable[[], str]] = [english]


def ask_language_of(source: Callable[[], str]) -> None:
    """Let `source` say, at every look-up, which language is wanted."""
    _asked[:] = [source]


def language() -> str:
    """The language that is wanted now."""
    return _asked[0]()


def t(key: str, **values: object) -> str:
    """The text under `key` with its {placeholders} filled. Raises KeyError for an unknown key."""
    return template(key).format(**values)


def template(key: str) -> str:
    """The text under `key` as it stands, for whoever fills it thousands of times."""
    return texts(language()).get(key) or texts()[key]


def t_or(key: str, source: str) -> str:
    """The text under `key`, or `source` where the language has none."""
    return texts(language()).get(key, source)
