"""Judges one file with a lesson's check, in this process.

Whatever is wrong with the file becomes a verdict with one sentence; nothing raises. Files of
students come here only inside of a process of their own (`lessons.child`).
"""

import importlib.util
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any, cast

from lessons.checks import Verdict, failed
from lessons.given import told
from lessons.guard import Forbidden
from lessons.lesson import Lesson

LARGEST_BYTES = 1_000_000
"""No exercise is a hundredth of it."""


class Missing(Exception):  # noqa: N818 - a finding about the file, told as a message
    """The file lacks something that the exercise asks for."""


def judge(lesson: Lesson, path: Path) -> Verdict:
    """The verdict of a lesson's check on a file."""
    if unreadable := why_not_readable(path):
        return unreadable
    check = load_module(lesson.folder / "check.py", "lesson_check").check
    try:
        verdict: Verdict = check(load_module(path, "exercise"), lesson)
        return verdict
    except Forbidden as error:
        return failed("forbidden", act=error.act.en, act_zh=error.act.zh)
    except Missing as error:
        return failed("missing", name=str(error))
    except BaseException as error:  # whatever they raise is a finding
        if _is_of_memory(error):
            return failed("memory", megabytes="the allowed")
        line = _line_in(error, path)
        if line is None:
            return failed("uncheckable", error=told(error))
        return failed("crash", line=line, error=told(error))


def why_not_readable(path: Path) -> Verdict | None:
    """The verdict on a file that is no Python at all, without running any of it."""
    try:
        if path.stat().st_size > LARGEST_BYTES:  # to compile takes 270 times its memory
            return failed("too_large", kilobytes=LARGEST_BYTES // 1000)
        source = importlib.util.decode_source(path.read_bytes())
    except (OSError, UnicodeDecodeError, SyntaxError) as error:
        return failed("unreadable", error=told(error))
    if not source.strip():
        return failed("empty")
    try:
        compile(source, str(path), "exec")
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        line = getattr(error, "lineno", None) or 1
        return failed("syntax", line=line, error=getattr(error, "msg", None) or told(error))
    return None


def load_module(path: Path, name: str) -> ModuleType:
    """A file as a module of that name; it need not lie in a package."""
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} is no Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def wanted(work: ModuleType, name: str) -> Callable[..., Any]:
    """What the student's file calls `name`. Raises Missing where there is no such function."""
    found = getattr(work, name, None)
    if not callable(found):
        raise Missing(name)
    return cast(Callable[..., Any], found)


def _is_of_memory(error: BaseException) -> bool:
    """Whether there was no memory left: torch says so in words."""
    return isinstance(error, MemoryError) or "can't allocate memory" in told(error)


def _line_in(error: BaseException, path: Path) -> int | None:
    """The last line of the file on the way to the error; None where the check itself stopped, at
    what the file gave it."""
    frames = traceback.extract_tb(error.__traceback__)
    lines = [frame.lineno for frame in frames if frame.filename == str(path)]
    return lines[-1] if lines else None
