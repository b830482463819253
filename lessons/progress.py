"""How far a learner has got: predictions, answers, hints seen, lessons solved.

It is a small dict that can be written as JSON, taken along, brought back, and handed in. Nothing
here draws.
"""

from collections.abc import Mapping
from typing import Annotated, Final

import msgspec

NAME: Final = "overlap-lab-progress"
"""The file's name, without its ending, and where a browser keeps it."""

VERSION: Final = 1
MOST_BYTES = 200_000


class ProgressError(ValueError):
    """A file holds no progress; the message is one sentence."""


class Done(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """What was done of one lesson. `predicted` is a number, or the place of a choice; `skipped`:
    the learner went on without a prediction."""

    predicted: float | None = None
    skipped: bool = False
    answers: dict[str, float | str | None] = msgspec.field(default_factory=dict)
    hints: Annotated[int, msgspec.Meta(ge=0)] = 0
    solved: bool = False

    @property
    def may_see(self) -> bool:
        """Whether the run may be shown."""
        return self.predicted is not None or self.skipped


class _File(msgspec.Struct, forbid_unknown_fields=True):
    version: int
    lessons: dict[str, Done]


def dumped(progress: Mapping[str, Done]) -> str:
    """The progress as JSON, lessons in order."""
    kept = {lesson: progress[lesson] for lesson in sorted(progress)}
    return msgspec.json.format(msgspec.json.encode(_File(VERSION, kept))).decode()


def loaded(data: str | bytes) -> dict[str, Done]:
    """Progress from JSON. Raises ProgressError."""
    if len(data) > MOST_BYTES:
        raise ProgressError("this file is too large to hold a course's progress")
    try:
        file = msgspec.json.decode(data, type=_File)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise ProgressError(
            "this file holds no progress of the course: choose one that this page has saved"
        ) from None
    if file.version != VERSION:
        raise ProgressError(f"this file is of version {file.version}, this lab reads {VERSION}")
    return file.lessons
