"""Finds what a class has handed in: files of code, and progress that the Lessons page saved.

A submissions folder has one entry a student. A file of code tells its lesson by its name or
folder: `ada/07_events/exercise.py` (a work folder as it was handed in), `ada/07.py`; where the
lesson is given, `ada.py` and `ada/anything.py`, too. A learner's own work folder, with
`07_events/exercise.py` right in it, is the work of one student, called as the folder is. A file
of progress is `ada.json`, `ada-overlap-lab-progress.json` or, in a student's folder, any JSON file
with "progress" in its name; it answers for every lesson that it has something of. What tells no
lesson, a folder that holds nothing of all this, and an archive or a notebook of somebody who handed
in nothing else are submissions with a fault, so that nobody's work is passed over.
"""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from lessons.lesson import LessonError, Words
from lessons.loading import broken, lesson_named, lessons
from lessons.progress import NAME, UNKNOWN, UNREADABLE, Done, loaded
from lessons.progress_file import MOST_BYTES, TOO_LARGE, ProgressError
from lessons.quiz import QUIZZES
from lessons.workfolder import exercise_path
from traces.arguments import one_line
from traces.output import no_formula

Kind = Literal["code", "answers", "nothing"]

NO_LESSON = Words(
    "this file does not say of which lesson it is: put it into a folder such as 07_events, name it "
    "07.py, or grade with --lesson",
    "这个文件没有说明属于哪一课：请放进 07_events 这样的文件夹，或命名为 07.py，"
    "或在评分时加上 --lesson",
)
NO_STUDENT = Words(
    "this file does not say whose it is: put it into a folder with the student's name, such as "
    "ada/07_events",
    "这个文件没有说明是谁的：请放进以学生命名的文件夹，例如 ada/07_events",
)
NO_WORK = Words(
    "this folder holds nothing that can be graded, only: {names}",
    "这个文件夹里没有可以评分的东西，只有：{names}",
)
A_LINK = Words(
    "this is a link, and links are not followed: hand in what it leads to",
    "这是一个链接，评分不跟随链接：请上交它所指的内容",
)
PACKED = Words(
    "this cannot be graded as it is: hand in the .py file itself, unpacked",
    "这样的文件无法评分：请解开后上交 .py 文件本身",
)
PACKED_AS = (".zip", ".tar", ".gz", ".tgz", ".xz", ".7z", ".rar", ".ipynb")
EMPTY = Words("this folder holds no files", "这个文件夹里没有文件")
NOT_BEGUN = Words(
    "this file of progress is empty: nothing was begun where it was saved",
    "这个进度文件是空的：保存它的地方什么也没有开始",
)
MOST_NAMES = 5
"""Names of files in a sentence."""


@dataclass(frozen=True)
class Submission:
    """One student's work for one lesson. "code" is a file to run; "answers" were given on the
    page and are in `done`; `fault` says why there is none. `student` and `file` are `written`."""

    student: str
    lesson: str
    kind: Kind
    path: Path
    file: str
    sha256: str
    done: Done | None = None
    fault: ProgressError | None = None

    @property
    def key(self) -> tuple[str, str, str]:
        """What a row of the table is known by."""
        return self.file, self.lesson, self.sha256


def find_submissions(root: Path, lesson: str | None) -> Iterator[Submission]:
    """Every piece of work that tells its student and its lesson, in order of names.

    Raises LessonError where the folder or the lesson does not exist.
    """
    if not root.is_dir():
        raise LessonError(f"there is no folder {root}")
    given = lesson_named(lesson).id if lesson else None
    found = [*_of_code(root, given)]
    for path in progress_files(root):
        found += _of_progress(root, path, given)
    yield from found
    students = {one.student for one in found}
    entries = {root / one.path.relative_to(root).parts[0] for one in found}
    for path in sorted(root.iterdir()):
        if path in entries or _is_of_the_system(path.name) or _student(path) in students:
            continue
        if path.is_dir() or path.is_symlink() or _is_packed(path):
            yield _without_work(path)


def _of_code(root: Path, given: str | None) -> Iterator[Submission]:
    """A row for each file of code; one that tells no lesson is at fault."""
    for path in sorted(root.rglob("*.py")):
        if not _is_work(root, path):
            continue
        of_file = given or _lesson_of(root, path)
        why = NO_STUDENT if _is_lessons(path.relative_to(root).parts[0]) else NO_LESSON
        fault = None if of_file else ProgressError(why)
        fault = ProgressError(A_LINK) if path.is_symlink() else fault
        yield replace(_submission(root, path, "code"), lesson=of_file or "", fault=fault)


def _without_work(path: Path) -> Submission:
    """What is said of an entry in which there is nothing to grade; it is looked at each time."""
    fault = _why_nothing(path)
    return Submission(_student(path), "", "nothing", path, written(path.name), "", fault=fault)


def _why_nothing(path: Path) -> ProgressError:
    if path.is_symlink():
        return ProgressError(A_LINK)
    if path.is_file():
        return ProgressError(PACKED)
    names = sorted(file.name for file in path.rglob("*") if file.is_file())
    if not names:
        return ProgressError(EMPTY)
    told = one_line(", ".join(map(repr, names[:MOST_NAMES])))
    return ProgressError(NO_WORK, names=told + (", …" if len(names) > MOST_NAMES else ""))


def _is_packed(path: Path) -> bool:
    return path.is_file() and path.suffix.lower() in PACKED_AS


def _student(path: Path) -> str:
    """Whose entry of the root it is: of an archive `ada` in `ada.zip` and in `ada.tar.gz`."""
    return written(path.stem.removesuffix(".tar") if _is_packed(path) else path.name)


def written(name: str) -> str:
    """A file's name as a table has it: one line of Unicode, whatever bytes it is made of, and no
    formula to a spreadsheet."""
    shown = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in name)
    return no_formula(shown)


def progress_files(root: Path) -> list[Path]:
    """The files of progress below a folder, in order of names."""
    found = sorted(root.rglob("*.json"))
    return [p for p in found if (p.parent == root or "progress" in p.name) and _is_work(root, p)]


def read_progress(path: Path) -> dict[str, Done]:
    """A student's progress. Raises ProgressError."""
    if path.is_symlink():
        raise ProgressError(A_LINK)
    try:
        if path.stat().st_size > MOST_BYTES:
            raise ProgressError(TOO_LARGE)
        return loaded(path.read_bytes())
    except OSError as error:
        raise ProgressError(UNREADABLE, error=error.strerror) from None


def student_of(root: Path, path: Path) -> str:
    """Whose file it is: that of the first folder, or of the file's own name; in a learner's own
    work folder, of that one."""
    first = path.relative_to(root).parts[0]
    if _is_own_work(root, path):
        return root.resolve().name
    if path.parent != root:
        return first
    stem = Path(first).stem
    name = stem.replace(NAME, "").strip(" -_.")
    return name if any(map(str.isalpha, name)) else stem


def _of_progress(root: Path, path: Path, given: str | None) -> Iterator[Submission]:
    """A row for each lesson of the file, or the one that is given, begun or not."""
    of_file = _submission(root, path, "answers")
    try:
        progress = read_progress(path)
    except ProgressError as error:
        yield replace(of_file, lesson=given or "", fault=error)
        return
    known = {*lessons(), *broken(), *QUIZZES}
    for name in [given] if given else sorted(progress.keys() & known):
        yield replace(of_file, lesson=name, done=progress.get(name, Done()))
    if not (given or progress):
        yield replace(of_file, fault=ProgressError(NOT_BEGUN))
    if strange := sorted(progress.keys() - known):  # names from a file stay out of the columns
        names = one_line(", ".join(map(repr, strange)))
        yield replace(of_file, fault=ProgressError(UNKNOWN, names=names))


def _submission(root: Path, path: Path, kind: Kind) -> Submission:
    """What a file is, before it is said for which lesson."""
    student, file = student_of(root, path), path.relative_to(root).as_posix()
    return Submission(written(student), "", kind, path, written(file), _sha256(path))


def _sha256(path: Path) -> str:
    """Of what a file holds; nothing of a link or of what cannot be read, which then is graded
    anew."""
    try:
        return "" if path.is_symlink() else hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError:
        return ""


def _is_work(root: Path, path: Path) -> bool:
    """Whether it is a file that somebody made, or a link that somebody put there."""
    parts = path.relative_to(root).parts
    return (path.is_file() or path.is_symlink()) and not any(map(_is_of_the_system, parts))


def _is_of_the_system(name: str) -> bool:
    """Whether a file or folder is hidden, or is Python's or an archive's own."""
    return name.startswith((".", "__"))


def _is_own_work(root: Path, path: Path) -> bool:
    """Whether a file lies as `python -m lessons start` puts it, with no student's folder above."""
    return any(path == exercise_path(lesson, root) for lesson in lessons().values())


def _is_lessons(name: str) -> bool:
    """Whether a folder is called as a lesson's is."""
    return any(lesson.folder.name == name for lesson in lessons().values())


def _lesson_of(root: Path, path: Path) -> str | None:
    """The lesson that a path below the student's own folder names by its number."""
    parts = path.relative_to(root).parts
    for part in reversed(parts if _is_own_work(root, path) else parts[1:]):
        if part[:2] in lessons():
            return part[:2]
    return None
