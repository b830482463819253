"""The glossary of the course: a term's name and what it means, in both languages."""

import tomllib
from functools import cache

import msgspec

from lessons.lesson import FOLDER, LessonError, Words

PATH = FOLDER / "glossary.toml"


class Term(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A term: what it is called, and one or two sentences on what it means."""

    name: Words
    means: Words


@cache
def glossary() -> dict[str, Term]:
    """All terms by key. Raises LessonError where an entry is incomplete."""
    try:
        return msgspec.convert(tomllib.loads(PATH.read_text("utf-8")), dict[str, Term])
    except (tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
        raise LessonError(f"{PATH}: {error}") from None
