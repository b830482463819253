"""Every lesson folder: its figures are those of its runs, its exercise accepts and rejects.

A lesson added as a folder is covered by all of this without a change here. By default exercises
are tried under a few timings; with --slow under as many as students get.
"""

import ast
import re
import unicodedata
from functools import cache

import pytest

from lessons import pipeline
from lessons.checks import said, title
from lessons.figures import written
from lessons.glossary import glossary
from lessons.judging import judge
from lessons.lesson import LANGUAGES
from lessons.loading import lessons, text_of
from lessons.prediction import COUNTED, is_right, right_choice, truth
from lessons.programs import FILE
from lessons.scenes import quoted, scene_figure
from lessons.texts import FIGURE, TERM, filled

FEW_TIMINGS = 6

LESSONS = list(lessons().values())
SCENES = [(lesson, scene) for lesson in LESSONS for scene in (*lesson.scene, *lesson.run)]
WRONG = [(lesson, name) for lesson in LESSONS for name in lesson.wrong]
every_lesson = pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.id)


@pytest.fixture(autouse=True)
def few_timings(request, monkeypatch):
    if not request.config.getoption("--slow"):
        monkeypatch.setattr(pipeline, "TIMINGS", FEW_TIMINGS)


CODE = re.compile(r"```.*?```|`[^`]+`", re.DOTALL)
"""A block of code, or a word of it."""


@cache
def verdict_on(lesson, path):
    """What a file gets; more than one test looks at it."""
    return judge(lesson, path)


def numbers(text):
    """The numbers of a text, without those of figures, issues and code."""
    bare = re.sub(r"#\d+|\w+://\S+", "", CODE.sub("", FIGURE.sub("", text)))
    return sorted(re.findall(r"\d+(?:\.\d+)?", bare))


def code(text):
    """What stands in code in a text, whatever the order."""
    return set(CODE.findall(text))


EMPHASIS = re.compile(r"(\*{1,2})(?=[^\s*])([^*\n]+?)(?<=[^\s*])\1(?!\*)")
"""Words between asterisks."""


def stands_apart(character):
    """Nothing, space, punctuation or a symbol: what Markdown wants beside punctuation that is
    emphasised, or it shows the asterisks."""
    return unicodedata.category(character or " ")[0] in "ZCPS"


def not_emphasised(text):
    """Words between asterisks that Markdown does not take for emphasis."""
    bare = CODE.sub(lambda match: "x" * len(match[0]), text)
    return [
        match[0]
        for match in EMPHASIS.finditer(bare)
        for inside, beside in (
            (match[2][0], bare[match.start() - 1 : match.start()]),
            (match[2][-1], bare[match.end() : match.end() + 1]),
        )
        if stands_apart(inside) and not stands_apart(beside)
    ]


@pytest.mark.parametrize(("lesson", "scene"), SCENES, ids=lambda it: getattr(it, "id", ""))
def test_a_scenes_figures_are_those_of_its_run_and_it_opens_within_it(lesson, scene):
    found = {
        name: written(scene_figure(lesson, scene, name), like)
        for name, like in scene.figures.items()
    }
    assert found == scene.figures
    low, high = scene.window_ms or (0.0, 100.0)
    assert 0 <= low <= scene.at_ms <= min(high, scene_figure(lesson, scene, "wall_ms"))


@every_lesson
def test_the_prediction_has_a_unit_a_right_answer_and_a_wrong_one(lesson):
    unit = lesson.predict.unit
    assert unit and (unit in COUNTED or unit in ("%", "ms"))
    if lesson.predict.kind == "choice":
        right = right_choice(lesson)
        answers = range(len(lesson.predict.ranges))
        assert [is_right(lesson, answer) for answer in answers] == [n == right for n in answers]
    else:
        assert is_right(lesson, truth(lesson))
        assert not is_right(lesson, truth(lesson) + 2 * lesson.predict.tolerance + 1)


@every_lesson
def test_both_languages_are_complete_and_quote_the_same(lesson):
    english, chinese = (text_of(lesson, language) for language in LANGUAGES)
    assert english.figures == chinese.figures
    assert set(english.figures) <= set(quoted(lesson))
    assert list(english.scenes) == list(chinese.scenes) == [scene.id for scene in lesson.scene]
    assert english.terms == chinese.terms
    assert len(english.choices) == len(chinese.choices) == len(lesson.predict.ranges)
    for part in english.parts:
        assert english.parts[part] and chinese.parts[part], part
        assert numbers(english.parts[part]) == numbers(chinese.parts[part]), part
        assert code(english.parts[part]) == code(chinese.parts[part]), part
    for name in english.scenes:
        assert numbers(english.scenes[name]) == numbers(chinese.scenes[name]), name


@every_lesson
def test_a_text_is_in_its_language_and_every_figure_can_be_filled(lesson):
    for language in LANGUAGES:
        text = text_of(lesson, language)
        whole = filled(text.whole, quoted(lesson))
        assert "{" not in CODE.sub("", whole)
        share = len(re.findall(r"[\u4e00-\u9fff]", whole)) / len(whole)
        assert share > 0.25 if language == "zh" else share == 0


POINTING = re.compile(r"\b(below|above)\b(?! the picture)|(?<!图)[上下](面|图|表)")
"""Words for what stands somewhere else on the page; the picture of a scene is always there."""


@every_lesson
def test_the_question_and_the_scenes_lead_point_at_nothing_in_another_part(lesson):
    for language in LANGUAGES:
        text = text_of(lesson, language)
        shown = text.shown_in("predict") + text.parts["see"]
        assert not POINTING.search(shown), language


@every_lesson
def test_each_part_has_the_terms_it_speaks_of_and_no_others(lesson):
    for language in LANGUAGES:
        text = text_of(lesson, language)
        assert set[str]().union(*map(text.terms_in, text.parts)) == text.terms
        for part in text.parts:
            assert {key for _, key in TERM.findall(text.shown_in(part))} <= text.terms_in(part)


@every_lesson
def test_what_is_emphasised_is_shown_so(lesson):
    for language in LANGUAGES:
        words = (w for q in lesson.question for w in (q.ask, q.why, *q.hints))
        said = "\n".join(w.said(language) for w in words)
        assert not_emphasised(text_of(lesson, language).whole + said) == []


def test_asterisks_beside_chinese_punctuation_are_found():
    assert not_emphasised("**怎样选。**先定限制") and not_emphasised("在**[批](term:x)**里")
    assert not_emphasised("**怎样选**：先定限制，*最小*的；**按请求。** 主机") == []


@every_lesson
def test_every_figure_that_is_declared_is_used_and_every_term_explained(lesson):
    text = text_of(lesson, "en")
    told = FIGURE.findall(" ".join(q.why.said("en") for q in lesson.question))
    asked = (q.figure for q in lesson.question)
    used = {*text.figures, *told, lesson.predict.figure, *asked}
    assert set(told) <= set(quoted(lesson))
    assert set(quoted(lesson)) <= used
    assert set() < text.terms <= set(glossary())


@every_lesson
def test_programs_that_are_asked_about_stand_in_the_text_as_they_are_run(lesson):
    blocks = re.findall(r"```python\n(.*?)```", text_of(lesson, "en").parts["exercise"], re.DOTALL)
    in_a_picture = {question.run for question in lesson.question}
    programs = [run for run in lesson.run if run.program and run.id not in in_a_picture]
    assert len(blocks) >= len(programs)
    if programs:
        run = {line.strip() for line in (lesson.folder / FILE).read_text("utf-8").splitlines()}
        assert {line.strip() for block in blocks for line in block.splitlines()} <= run


@every_lesson
def test_the_issues_named_in_the_text_are_those_of_the_list(lesson):
    numbers = {str(link.number) for link in lesson.wild}
    for language in LANGUAGES:
        named = set(re.findall(r"#(\d+)", text_of(lesson, language).parts["wild"]))
        assert named == numbers != set()


@every_lesson
def test_the_exercise_as_given_is_not_solved(lesson):
    verdict = verdict_on(lesson, lesson.folder / "exercise.py")
    assert not verdict.passed and verdict.points < verdict.most
    assert all(check.message != "crash" for check in verdict.checks)


@every_lesson
def test_an_empty_file_and_functions_that_crash_are_told_as_what_they_are(lesson, tmp_path):
    given = ast.parse((lesson.folder / "exercise.py").read_text("utf-8"))
    names = [node.name for node in given.body if isinstance(node, ast.FunctionDef)]
    crashing = [f"def {name}(*_, **__):\n    raise RuntimeError('boom')" for name in names]
    path = tmp_path / "exercise.py"
    for source, message in (("", "empty"), ("\n".join(crashing) or "1 / 0", "crash")):
        path.write_text(source, encoding="utf-8")
        (check,) = judge(lesson, path).checks
        assert check.message == message
    assert ("boom" if names else "ZeroDivisionError") in said(lesson, check, "zh")


@every_lesson
def test_right_solutions_are_accepted(lesson):
    others = sorted((lesson.folder / "right").glob("*.py"))
    assert len(others) >= (2 if lesson.exercise == "code" else 1) and len(lesson.wrong) >= 3
    for path in (lesson.folder / "solution.py", *others):
        verdict = verdict_on(lesson, path)
        failing = [said(lesson, check, "en") for check in verdict.checks if not check.passed]
        assert failing == [], path.name


@pytest.mark.parametrize(("lesson", "name"), WRONG, ids=lambda it: getattr(it, "id", it))
def test_a_wrong_solution_gets_the_message_meant_for_it(lesson, name):
    verdict = verdict_on(lesson, lesson.folder / "wrong" / f"{name}.py")
    failing = [check.message for check in verdict.checks if not check.passed]
    assert failing[:1] == [lesson.wrong[name]]


@every_lesson
def test_a_code_exercise_rejects_a_device_wide_synchronise(lesson):
    about_order = lesson.exercise == "code" and "streams" in (
        lesson.folder / "exercise.py"
    ).read_text("utf-8")
    assert not about_order or "device_synchronize" in lesson.wrong


@every_lesson
def test_every_check_and_message_is_said_in_both_languages(lesson):
    for path in sorted((lesson.folder / "wrong").glob("*.py")):
        for check in verdict_on(lesson, path).checks:
            english, chinese = (title(lesson, check, language) for language in LANGUAGES)
            assert english != chinese
            assert said(lesson, check, "en") and said(lesson, check, "zh")
