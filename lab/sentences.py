"""Sentences that `engine` and `traces` put together for people, in the language of the page.

Both speak plain English and know no other language. Here the template of a sentence is found by its
fixed words (`zh.sentences.json`: "{}" stands for each value), and another language's template gets
the same values; "{1}" is its second one. What has no template stays as it is. What is shown still
has to be escaped: values come from files.
"""

import json
import re
from functools import cache

from lab.catalogue import FOLDER, language

VALUE = "{}"
PLACE = re.compile(r"\{(\d*)\}")
LABEL = ": "
"""Behind a name that stands before a sentence about it: a file's, or a rank's."""

DEEPEST = 3
"""So many levels of sentences inside sentences are looked up."""

Template = tuple[list[str], str]
"""The fixed words around the values, and the template in the other language."""


def in_language(sentence: str, levels: int = DEEPEST) -> str:
    """The sentence in the language that is wanted now, or as it is where that has no template."""
    if not levels:
        return sentence
    for fixed, template in templates(language()):
        values = _values(fixed, sentence)
        if values is not None:
            return _filled(template, [in_language(value, levels - 1) for value in values])
    label, _, rest = sentence.partition(LABEL)
    told = in_language(rest, levels - 1) if rest else rest
    return sentence if told == rest else f"{label}：{told}"


@cache
def templates(language: str) -> list[Template]:
    """All templates of a language, those with the most fixed words first."""
    path = FOLDER / f"{language}.sentences.json"
    entries = json.loads(path.read_text("utf-8")) if path.exists() else {}
    found = [(english.split(VALUE), other) for english, other in entries.items()]
    return sorted(found, key=lambda template: -sum(map(len, template[0])))


def _values(fixed: list[str], sentence: str) -> list[str] | None:
    """What stands between the fixed words, each found as early as it comes; None where one is
    missing. A value in front holds no label: that is none of the template's."""
    first, *others = fixed
    if not others:
        return [] if sentence == first else None
    *middle, last = others
    end = len(sentence) - len(last)
    if not (sentence.startswith(first) and sentence.endswith(last) and len(first) <= end):
        return None
    rest, values = sentence[len(first) : end], []
    for words in middle:
        value, found, rest = rest.partition(words)
        if not found:
            return None
        values.append(value)
    values.append(rest)
    return None if not first and LABEL in values[0] else values


def _filled(template: str, values: list[str]) -> str:
    following = iter(values)
    return PLACE.sub(lambda place: values[int(place[1])] if place[1] else next(following), template)
