"""Progress as a JSON file that a learner takes along: what every kind of it has in common.

A kind is a struct whose first field is the version. The course's is `lessons.progress`; the lab's
Play page has another.
"""

from typing import Protocol, TypeVar

import msgspec

from lessons.lesson import Words

MOST_BYTES = 200_000

TOO_LARGE = Words("this file is too large to hold progress", "这个文件太大，不会是进度")
OTHER_VERSION = Words(
    "this file is of version {version}, this lab reads {known}",
    "这个文件是第 {version} 版，本实验室只能读第 {known} 版",
)


class ProgressError(ValueError):
    """A file holds no progress, or nothing of a course; the message is one sentence, to be had in
    either language."""

    def __init__(self, words: Words, **values: object) -> None:
        super().__init__(words.said("en", **values))
        self._words, self._values = words, values

    def said(self, language: str) -> str:
        """The sentence in a language."""
        return self._words.said(language, **self._values)


class HasVersion(Protocol):
    """A kind of progress."""

    version: int


Kind = TypeVar("Kind", bound=HasVersion)


def written(file: HasVersion) -> str:
    """The file's text."""
    return msgspec.json.format(msgspec.json.encode(file)).decode()


def read(data: str | bytes, kind: type[Kind], known: int, otherwise: Words) -> Kind:
    """Progress of a kind from JSON, of the `known` version. Raises ProgressError; `otherwise` is
    what it says of a file that holds something else."""
    if len(data) > MOST_BYTES:
        raise ProgressError(TOO_LARGE)
    try:
        file = msgspec.json.decode(data, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise ProgressError(otherwise) from None
    if file.version != known:
        raise ProgressError(OTHER_VERSION, version=file.version, known=known)
    return file
