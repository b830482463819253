"""Questions whose choices answer for a measured figure."""

from types import ModuleType

import msgspec
import pytest

from lessons.lesson import LessonError
from lessons.loading import lesson_named, lessons, load_lesson
from lessons.questions import check_answer, right_answer

LESSON = lesson_named("23")
QUESTION = next(question for question in LESSON.question if question.ranges)


def test_the_choice_is_right_whose_range_holds_the_figure_and_no_other():
    right = right_answer(LESSON, QUESTION)
    verdicts = {name: check_answer(LESSON, QUESTION, name).passed for name in LESSON.choices}
    assert verdicts == {name: name == right for name in LESSON.choices}
    assert not check_answer(LESSON, QUESTION, ModuleType("of a student")).passed


@pytest.mark.parametrize(
    "given", [10**400, float("nan"), float("inf"), True, [1], {}, b"x", "word"]
)
def test_whatever_stands_for_an_answer_is_refused_by_itself(given):
    for lesson in lessons().values():
        for question in lesson.question:
            assert not check_answer(lesson, question, given).passed


@pytest.mark.parametrize("found", [0, 2])
def test_ranges_of_which_none_or_several_hold_the_figure_are_a_fault_of_the_lesson(found):
    both = (-1000.0, 1000.0) if found else (900.0, 901.0)
    question = msgspec.structs.replace(QUESTION, ranges=dict.fromkeys(("pays", "little"), both))
    with pytest.raises(ValueError, match=f"{found} ranges hold"):
        right_answer(LESSON, question)


def test_ranges_that_leave_out_a_choice_are_refused(tmp_path):
    folder = tmp_path / LESSON.folder.name
    folder.mkdir()
    for path in LESSON.folder.iterdir():
        (folder / path.name).symlink_to(path)
    text = (LESSON.folder / "lesson.toml").read_text("utf-8")
    (folder / "lesson.toml").unlink()
    (folder / "lesson.toml").write_text(text.replace("nothing = [", "none = [", 1), "utf-8")
    with pytest.raises(LessonError, match=f"question {QUESTION.id}: ranges"):
        load_lesson(folder)
