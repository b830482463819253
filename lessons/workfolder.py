"""The folder in which a student works: a copy of each exercise, and how many hints were seen."""

import json
import shutil
from pathlib import Path

from lessons.handouts import handouts
from lessons.lesson import Lesson, LessonError
from traces.output import write_whole

DEFAULT = Path("course-work")
SEEN = "hints-seen.json"
TRACE = "failing-run.json.gz"


def exercise_path(lesson: Lesson, root: Path) -> Path:
    """Where a student's copy of an exercise lies."""
    return root / lesson.folder.name / "exercise.py"


def start(lesson: Lesson, root: Path) -> tuple[Path, bool]:
    """Copy the exercise, and what is handed out with it; returns its path, and whether it is new.
    What is there stays as it is.

    Raises LessonError where the folder cannot be written.
    """
    path = exercise_path(lesson, root)
    if path.exists():
        return path, False
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        for name, content in handouts(lesson).items():
            path.with_name(name).write_bytes(content)
        shutil.copyfile(lesson.folder / "exercise.py", path)
    except OSError as error:
        raise LessonError(f"{path} cannot be written: {error.strerror}") from None
    return path, True


def next_hint(lesson: Lesson, root: Path, most: int) -> int:
    """The number of the next hint, from 1; the last one is given again and again."""
    path = exercise_path(lesson, root).with_name(SEEN)
    try:
        seen = int(json.loads(path.read_text("utf-8")))
    except (OSError, ValueError, TypeError):
        seen = 0
    number = min(seen + 1, most)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, json.dumps(number))
    return number
