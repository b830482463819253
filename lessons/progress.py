"""How far a learner has got: predictions, answers, hints seen, lessons solved.

It is a small dict that can be written as JSON, taken along, brought back, and handed in. Nothing
here draws.
"""

from collections.abc import Mapping
from typing import Annotated, Final

import msgspec

from lessons.lesson import Words
from lessons.progress_file import read, written

NAME: Final = "overlap-lab-progress"
"""The file's name, without its ending, and where a browser keeps it."""

VERSION: Final = 1

NO_PROGRESS = Words(
    "this file holds no progress of the course: choose one that the Lessons page has saved",
    "这个文件里没有课程进度：请选择由课程页保存的文件",
)
UNREADABLE = Words("this file cannot be read: {error}", "无法读取这个文件：{error}")
UNKNOWN = Words(
    "this file has lessons that this course does not have: {names}",
    "这个文件里有本课程没有的课：{names}",
)


class Done(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """What was done of one lesson. `predicted` is a number, or the place of a choice; `skipped`:
    the learner went on without a prediction. `asked`: hints seen, by question."""

    predicted: float | None = None
    skipped: bool = False
    answers: dict[str, float | str | None] = msgspec.field(default_factory=dict)
    hints: Annotated[int, msgspec.Meta(ge=0)] = 0
    asked: dict[str, Annotated[int, msgspec.Meta(ge=0)]] = msgspec.field(default_factory=dict)
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
    return written(_File(VERSION, kept))


def loaded(data: str | bytes) -> dict[str, Done]:
    """Progress from JSON. Raises ProgressError."""
    return read(data, _File, VERSION, NO_PROGRESS).lessons
