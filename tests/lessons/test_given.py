"""What a student's code gives: any library's numbers are numbers, and nothing it does in being
asked breaks a check."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lessons import pipeline
from lessons.given import MOST_SHOWN, number, one_line, shown, told, whole
from lessons.judging import LARGEST_BYTES, judge
from lessons.loading import lesson_named

NUMPY = """
import numpy
def {name}(*arguments, before={name}):
    found = before(*arguments)
    return found if found is None else {kind}(found)
"""


class Odd(float):
    def __float__(self):
        raise RuntimeError

    def __repr__(self):
        return "\ud800 half a character"


class Loud(BaseException):
    def __str__(self):
        raise RuntimeError

    __repr__ = __str__


def solution(lesson):
    return (lesson_named(lesson).folder / "solution.py").read_text("utf-8")


def verdict(tmp_path, lesson, text, encoding="utf-8"):
    path = tmp_path / "exercise.py"
    path.write_text(text, encoding)
    return judge(lesson_named(lesson), path)


def only(verdict):
    (check,) = verdict.checks
    return check.message, check.values


@pytest.mark.parametrize("kind", [int, np.int64, np.uint8, np.int32])
def test_a_whole_number_of_any_type(kind):
    assert (whole(kind(7)), number(kind(7))) == (7, 7.0)


@pytest.mark.parametrize("kind", [float, np.float64, np.float32, Fraction])
def test_a_real_number_of_any_type(kind):
    assert (whole(kind(0.5)), number(kind(0.5))) == (None, 0.5)


@pytest.mark.parametrize(
    "odd", [True, np.bool_(True), "7", None, 7j, [7], Odd(7), Loud()], ids=type
)
def test_all_else_is_no_number(odd):
    assert whole(odd) is None and number(odd) is None


def test_a_number_too_large_for_a_float_is_infinite():
    assert number(10**400) == math.inf


@given(st.text(), st.integers(2, 80))
def test_a_line_can_be_written_anywhere_and_is_cut(text, most):
    line = one_line(text, most)
    assert len(line) <= most and len(line.splitlines()) <= 1 and line.encode("utf-8") is not None


@pytest.mark.parametrize(
    "odd", [Odd(1), Loud(), list(range(40_000)), "a\n" * 1000, 10**4000], ids=type
)
def test_whatever_is_given_can_be_shown(odd):
    line = shown(odd)
    assert line and len(line) <= MOST_SHOWN and "\n" not in line
    line.encode("utf-8")


def test_an_exception_is_told_on_one_line_whatever_it_says():
    assert told(ValueError("a\nb")) == "ValueError: a b" and told(Loud()) == "Loud"
    assert len(told(ValueError("x" * 10_000))) < 250


@pytest.mark.parametrize(
    ("lesson", "names", "kind"),
    [
        ("03", ("worked_total_ms", "small_idle_percent", "possible_step_ms"), "numpy.float32"),
        ("04", ("makespan",), "numpy.int64"),
        ("04", ("makespan",), "numpy.float32"),
        ("10", ("slot_of",), "numpy.int64"),
        ("11", ("wrong_step",), "numpy.int64"),
        ("16", ("freed_too_early",), "numpy.int32"),
        ("17", ("choose_depth",), "numpy.int64"),
    ],
)
def test_a_right_solution_may_give_numbers_of_numpy(tmp_path, monkeypatch, lesson, names, kind):
    monkeypatch.setattr(pipeline, "TIMINGS", 6)
    text = solution(lesson)
    for name in names:
        is_function = f"def {name}(" in text
        text += (NUMPY if is_function else "\nimport numpy\n{name} = {kind}({name})\n").format(
            name=name, kind=kind
        )
    found = verdict(tmp_path, lesson, text)
    assert found.passed, found.checks


def test_a_huge_answer_is_wrong_and_said_in_short(tmp_path):
    found = verdict(tmp_path, "04", "def makespan(s, b, n): return 10**400")
    assert {check.message for check in found.checks} == {"off"}
    found = verdict(tmp_path, "04", "def makespan(s, b, n): return list(range(40000))")
    assert {check.message for check in found.checks} == {"no_number"}
    assert all(len(check.values["given"]) <= MOST_SHOWN for check in found.checks)


@pytest.mark.parametrize(
    "raised", ["GeneratorExit()", "BaseExceptionGroup('two', [KeyboardInterrupt()])", "Mine()"]
)
def test_whatever_is_raised_is_told_with_its_line(tmp_path, raised):
    text = (
        "class Mine(BaseException):\n    def __str__(self): raise OSError\n"
        f"def makespan(s, b, n):\n    raise {raised}\n"
    )
    message, values = only(verdict(tmp_path, "04", text))
    assert (message, values["line"]) == ("crash", 4)
    assert values["error"].split(":")[0] == raised.split("(")[0]


def test_what_a_check_cannot_take_is_not_blamed_on_a_line(tmp_path):
    message, values = only(verdict(tmp_path, "04", "makespan = type('M', (), {})"))
    assert message == "uncheckable" and "TypeError" in values["error"]


def test_a_file_in_the_encoding_that_it_names_is_read(tmp_path):
    text = "# -*- coding: gbk -*-\n# 流水线\n" + solution("04")
    assert verdict(tmp_path, "04", text, "gbk").passed
    message, _ = only(verdict(tmp_path, "04", "# -*- coding: none -*-\n"))
    assert message == "unreadable"


def test_a_file_too_large_to_be_an_exercise_is_not_even_compiled(tmp_path):
    message, values = only(verdict(tmp_path, "04", "x = [1, 2, 3]\n" * (LARGEST_BYTES // 14 + 1)))
    assert (message, values) == ("too_large", {"kilobytes": 1000})
