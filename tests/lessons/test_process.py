"""Files of students in a process of their own: whatever they do, it ends, and says what it was.

Each process takes seconds to start, so most of these are slow; `test_grading.py` has two that run
always.
"""

import pytest

from lessons.limits import Limits
from lessons.loading import lesson_named, lessons
from lessons.process import check_file
from lessons.report import as_lines, as_values

LESSON = "07"
SOLUTION = lesson_named(LESSON).folder.joinpath("solution.py").read_text("utf-8")


def outcome(tmp_path, source, seconds=40, megabytes=4000):
    path = tmp_path / "handed_in.py"
    path.write_text(source, encoding="utf-8")
    return check_file(lesson_named(LESSON), path, Limits(seconds, megabytes))


def message(tmp_path, source, **limits):
    (check,) = outcome(tmp_path, source, **limits).verdict.checks
    assert not check.passed
    return check


@pytest.mark.slow
def test_a_right_file_passes_and_is_said_to_have_passed_public_checks(tmp_path):
    found = outcome(tmp_path, SOLUTION + "\nprint('noise')\n")
    assert found.verdict.passed and found.trace == b""
    lesson = lesson_named(LESSON)
    assert as_lines(lesson, "07", found.verdict, "en")[-1] == "07: public checks passed"
    assert as_values(lesson, found.verdict, "zh")["passed"] is True


@pytest.mark.slow
@pytest.mark.parametrize("lesson", lessons().values(), ids=lambda lesson: lesson.id)
def test_every_reference_solution_passes_within_the_limits_and_the_guard(lesson):
    assert check_file(lesson, lesson.folder / "solution.py", Limits()).verdict.passed


@pytest.mark.slow
def test_a_wrong_file_leaves_partial_credit_and_a_trace_that_can_be_opened(tmp_path):
    from traces import open_trace

    found = outcome(tmp_path, SOLUTION.replace("compute.wait(slot.h2d_done)", "pass"))
    assert found.verdict.points < found.verdict.most
    path = tmp_path / "run.json.gz"
    path.write_bytes(found.trace)
    assert set(open_trace(path).spans["kind"]) >= {"kernel", "h2d", "d2h", "host"}


BAD = {
    "x = 1 / 0\n": "crash",
    "x = 1\n": "missing",
    "import sys; sys.exit(0)\n": "crash",
    "import os; os.remove(__file__)\n": "forbidden",
    "import shutil; shutil.rmtree('.', ignore_errors=True)\n": "forbidden",
    "try:\n    open('/etc/hosts', 'a')\nexcept BaseException:\n    pass\n": "forbidden",
    "import subprocess; subprocess.run(['true'])\n": "forbidden",
    "import socket; socket.create_connection(('127.0.0.1', 9))\n": "forbidden",
    "import os; os._exit(3)\n": "died",
}


@pytest.mark.slow
@pytest.mark.parametrize(("source", "key"), BAD.items())
def test_what_stops_before_the_check_gets_one_clear_sentence(tmp_path, source, key):
    assert message(tmp_path, source).message == key


@pytest.mark.parametrize(
    ("source", "key"), [("", "empty"), (" \n", "empty"), ("def f(:\n", "syntax"), ("\0", "syntax")]
)
def test_what_is_no_python_is_told_without_running_it(tmp_path, source, key):
    found = outcome(tmp_path, source).verdict
    assert found.checks[0].message == key
    for language in ("en", "zh"):
        line = as_lines(lesson_named(LESSON), "x", found, language)[1]
        assert len(line.strip()) > 8 and "{" not in line


@pytest.mark.slow
def test_an_endless_loop_is_stopped(tmp_path):
    assert message(tmp_path, "while True: pass\n", seconds=8).message == "endless"


@pytest.mark.slow
def test_the_time_to_load_the_libraries_is_not_the_students(tmp_path):
    """Loading alone takes some seconds: with two, a file that does nothing would be endless."""
    assert message(tmp_path, "x = 1\n", seconds=2).message == "missing"


@pytest.mark.slow
def test_a_memory_hog_is_stopped(tmp_path):
    assert message(tmp_path, "x = bytearray(1 << 36)\n").message == "memory"


def test_a_file_that_is_not_there_is_no_crash(tmp_path):
    found = check_file(lesson_named(LESSON), tmp_path / "none.py", Limits())
    assert found.verdict.checks[0].message == "unreadable"
