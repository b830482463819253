"""The quiz: ten questions in both languages, each with one right answer that its lesson gives."""

import pytest

from lessons import quiz
from lessons.lesson import LANGUAGES, LessonError
from lessons.loading import lessons
from lessons.quiz import points, quiz_questions, wrong_questions

RIGHT = {question.id: question.answer for question in quiz_questions()}


def test_there_are_ten_questions_of_as_many_lessons_in_both_languages():
    questions = quiz_questions()
    assert len(questions) == len(RIGHT) == len({one.lesson for one in questions}) == 10
    for one in questions:
        assert one.lesson in lessons() and len(one.choices) == 3
        for language in LANGUAGES:
            said = {words.said(language) for words in one.choices.values()}
            assert len(said) == 3 and one.ask.said(language) and one.why.said(language)
        assert one.ask.en != one.ask.zh and one.why.en != one.why.zh


def test_the_right_answers_do_not_stand_in_one_place():
    places = [list(one.choices).index(one.answer) for one in quiz_questions()]
    assert max(map(places.count, range(3))) <= 5


@pytest.mark.parametrize("given", [None, "nonsense", 3.0])
def test_only_the_right_answer_counts(given):
    assert points(RIGHT) == 10 and points({}) == 0
    first = quiz_questions()[0]
    assert points(RIGHT | {first.id: given}) == 9
    assert wrong_questions(RIGHT | {first.id: given}) == [first]


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [('answer = "most"', 'answer = "x"', "padding"), ("ask =", "as =", "as")],
)
def test_a_wrong_entry_is_named(tmp_path, monkeypatch, old, new, told):
    text = quiz.PATH.read_text("utf-8").replace(old, new, 1)
    path = tmp_path / "quiz.toml"
    path.write_text(text, encoding="utf-8")
    monkeypatch.setattr(quiz, "PATH", path)
    with pytest.raises(LessonError, match=told):
        quiz_questions.__wrapped__()
