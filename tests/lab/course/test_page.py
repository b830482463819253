"""The Lessons page, run by Streamlit's AppTest without a browser."""

import base64
import json

import numpy as np
import pytest

from lab.catalogue import texts
from lessons.edges import choices_of, edge_at_fault
from lessons.loading import lessons, text_of
from lessons.quiz import quiz_questions
from lessons.scenes import quoted
from lessons.texts import PARTS
from tests.lab.apps import in_address
from tests.lab.course.pages import open_lessons, shown


def test_the_list_names_every_lesson_and_opens_one():
    app = open_lessons()
    assert not app.exception
    openers = " ".join(button.label for button in app.button)
    for lesson in lessons().values():
        assert f"○ **{lesson.id} · {text_of(lesson, 'en').title}**" in openers
    app.button(key="open-07").click().run()
    assert not app.exception and "# 07" in shown(app)


def test_nothing_is_shown_before_a_prediction_is_kept():
    app = open_lessons(lesson="07", part="see")
    assert not app.exception and not app.get("plotly_chart")
    assert texts()["lessons.predict_first"] in shown(app)
    app.segmented_control(key="part").set_value("predict").run()
    assert app.button(key="predict-07-go").disabled
    app.radio(key="predict-07").set_value(0).run()
    app.button(key="predict-07-go").click().run()
    assert not app.exception and len(app.get("plotly_chart")) == 2
    assert "none of" not in shown(app).lower()
    assert "your question was about “◎ One edge less”" in shown(app)
    app.button(key="asked-scene-07").click().run()
    assert app.segmented_control(key="scene-07").value == "unordered"
    assert any("You predicted “None" in info.value for info in app.info)
    assert app.session_state["course-progress"]["07"].predicted == 0


def test_only_the_scenes_own_switches_are_there_and_a_reset_puts_them_back():
    app = open_lessons({"07": {"skipped": True}}, lesson="07", part="see")
    scene = lessons()["07"].scene[0]
    keys = {control.key for control in app.segmented_control} | {box.key for box in app.selectbox}
    assert {key for key in keys if key.startswith("07-")} == {
        f"07-{scene.id}-{name}" for name in scene.switches
    }
    app.segmented_control(key=f"07-{scene.id}-wait_compute").set_value("off").run()
    metrics = {metric.label: metric.value for metric in app.metric}
    assert metrics["Hazards"].startswith(":red[")
    app.button(key=f"reset-07-{scene.id}").click().run()
    metrics = {metric.label: metric.value for metric in app.metric}
    assert metrics["Hazards"] == "0" and not app.exception


def test_a_program_is_shown_with_its_options_and_no_way_to_pages_that_do_not_know_it():
    app = open_lessons({"05": {"skipped": True}}, lesson="05", part="see")
    assert not app.exception and len(app.get("plotly_chart")) == 1 and not app.get("page_link")
    scene = lessons()["05"].scene[0]
    keys = {control.key for control in app.segmented_control}
    assert {key for key in keys if key.startswith("05-")} == {
        f"05-{scene.id}-{name}" for name in scene.options
    }
    app.segmented_control(key=f"05-{scene.id}-streams").set_value("one").run()
    assert not app.exception


def test_the_programs_that_were_asked_about_are_shown_once_all_answers_are_right():
    lesson = lessons()["06"]
    right = {question.id: question.answer for question in lesson.question}
    for answers in (right | {"snippet_a": "fine"}, right):
        app = open_lessons(
            {"06": {"skipped": True, "answers": answers}}, lesson="06", part="exercise"
        )
        solved = answers == right
        assert not app.exception and len(app.get("plotly_chart")) == len(lesson.run) * solved
        figure = quoted(lesson)["snippet-a.ends_ms:forward"]
        assert f"the kernel ends at {figure} ms" in shown(app)


def test_code_with_questions_has_both_and_only_the_code_solves_it():
    lesson = lessons()["08"]
    answers = {question.id: question.answer for question in lesson.question}
    app = open_lessons({"08": {"skipped": True, "answers": answers}}, lesson="08", part="exercise")
    assert not app.exception and len(app.radio) == len(lesson.question)
    assert any("python -m lessons check 08" in code.value for code in app.code)
    assert not app.checkbox(key="solved-08").value


def _on_a_bar(y, bars):
    """Whether a height lies where names are: in the middle half of a lane that has bars."""
    return any(
        abs(y - middle) < width / 4
        for trace in bars
        for middle, width in zip(_numbers(trace["y"]), _numbers(trace["width"]), strict=True)
    )


def _numbers(column):
    """A column of a figure as it travels: a list, or base64 with its type."""
    if isinstance(column, list):
        return column
    return np.frombuffer(base64.b64decode(column["bdata"]), column["dtype"]).tolist()


def test_an_edge_is_chosen_from_the_list_and_told_in_the_picture_then_explained_once_right():
    lesson = lessons()["07"]
    question = next(q for q in lesson.question if q.kind == "edge")
    right = edge_at_fault(lesson, question)
    wrong = next(name for name in choices_of(lesson, question) if name != right)
    app = open_lessons({"07": {"skipped": True}}, lesson="07", part="exercise")
    key = f"07-{question.id}"
    assert app.button(key=f"{key}-check").disabled and len(app.get("plotly_chart")) == 2
    for name in (wrong, right):
        app.selectbox(key=key).set_value(name).run()
        app.button(key=f"{key}-check").click().run()
        assert not app.exception
        assert (question.why.en in "".join(told.value for told in app.success)) == (name == right)
        in_the_file = any(f'{question.id} = "{name}"' in code.value for code in app.code)
        assert in_the_file == (name == right)  # nobody is told to write down what is wrong
    figure = json.loads(app.get("plotly_chart")[0].proto.spec)
    badges = next(trace for trace in figure["data"] if trace.get("name") == "badges")
    chosen = max(zip(badges["marker"]["size"], badges["customdata"], strict=True))[1]
    assert choices_of(lesson, question)[chosen] == right
    bars = [
        trace for trace in figure["data"] if trace["type"] == "bar" and any(trace.get("text", ()))
    ]
    assert bars and not any(_on_a_bar(at, bars) for at in badges["y"])
    app.button(key=f"{key}-hint").click().run()
    assert app.session_state["course-progress"]["07"].asked == {question.id: 1}
    assert any(question.hints[0].en in info.value for info in app.info)


def test_back_and_forward_walk_through_the_parts_and_into_the_next_lesson():
    first, second = list(lessons())[:2]
    app = open_lessons({first: {"skipped": True}}, lesson=first, part="explain")
    app.button(key="walk-forward").click().run()
    assert app.segmented_control(key="part").value == "exercise"
    app.button(key="walk-forward").click().run()
    app.button(key="walk-forward").click().run()
    assert app.selectbox(key="lesson").value == second
    app.button(key="walk-back").click().run()
    assert (app.selectbox(key="lesson").value, app.segmented_control(key="part").value) == (
        first, "wild",
    )  # fmt: skip


def test_hints_come_one_by_one_and_a_solution_only_when_solved():
    app = open_lessons({"07": {"skipped": True}}, lesson="07", part="exercise")
    hints = text_of(lessons()["07"], "en").hints
    assert hints[0][:30] not in shown(app)
    app.button(key="hint-07").click().run()
    assert hints[0][:30] in shown(app) and hints[1][:30] not in shown(app)
    labels = [box.label for box in app.expander]
    assert texts()["lessons.solution"] not in labels
    app.checkbox(key="solved-07").check().run()
    assert texts()["lessons.solution"] in [box.label for box in app.expander]


def test_a_teachers_link_pins_the_lesson_and_hides_answers():
    app = open_lessons(
        {"07": {"predicted": 0.0, "solved": True}}, lesson="07", part="see", lock="1"
    )
    assert app.selectbox(key="lesson").disabled
    assert not any("You predicted" in info.value for info in [*app.info, *app.success])
    app.segmented_control(key="part").set_value("exercise").run()
    assert texts()["lessons.solution"] not in [box.label for box in app.expander]
    app.segmented_control(key="part").set_value("wild").run()
    assert app.button(key="walk-forward").disabled


def test_beginning_anew_forgets_the_answer():
    app = open_lessons({"07": {"predicted": 2.0}}, lesson="07", part="predict")
    assert app.radio(key="predict-07").value == 2 and app.radio(key="predict-07").disabled
    app.button(key="lesson-reset").click().run()
    assert not app.exception
    assert app.radio(key="predict-07").value is None and not app.radio(key="predict-07").disabled


@pytest.mark.parametrize("part", PARTS)
def test_every_part_reads_in_chinese(part):
    app = open_lessons({"07": {"skipped": True}}, lesson="07", part=part, lang="zh")
    assert not app.exception
    assert text_of(lessons()["07"], "zh").title in shown(app)


def test_the_list_counts_what_is_done_and_goes_on_with_the_first_that_is_not():
    app = open_lessons({"01": {"solved": True}, "02": {"skipped": True}})
    assert "1 of 4 solved" in shown(app) and ":blue-badge[begun]" in shown(app)
    openers = {button.key: button.label for button in app.button}
    assert openers["open-01"].startswith("●") and openers["open-02"].startswith("◐")
    app.button(key="go-on").click().run()
    assert not app.exception and "# 02" in shown(app)


def test_an_unknown_lesson_opens_the_list_and_is_told_until_one_is_chosen():
    app = open_lessons(lesson="x' <b>", part="none")
    assert not app.exception and texts()["lessons.lead"] in shown(app)
    assert "x' " in app.warning[0].value and "lesson" not in app.query_params
    assert len(app.run().warning) == 1
    app.button(key="open-02").click().run()
    assert not app.exception and len(app.warning) == 0


def test_a_broken_lesson_is_told_and_the_others_are_there(monkeypatch):
    fault = "07_events/lesson.toml: minutes is missing"
    monkeypatch.setattr("lab.course.overview.broken", lambda: {"07": fault})
    app = open_lessons()
    assert (
        not app.exception and len(app.warning) == 1 and "minutes is missing" in app.warning[0].value
    )


def test_progress_that_predicts_what_cannot_be_is_brought_back_without_it():
    app = open_lessons()
    text = '{"version": 1, "lessons": {"07": {"predicted": 99, "hints": 1}}}'
    app.file_uploader(key="progress-file").upload("p.json", text.encode()).run()
    assert not app.exception and app.session_state["course-progress"]["07"].hints == 1
    assert app.session_state["course-progress"]["07"].predicted is None


def test_the_quiz_before_tells_nothing_and_the_quiz_after_shows_the_gain():
    app = open_lessons()
    first, *others = quiz_questions()
    app.radio(key=f"quiz-before-{first.id}").set_value(first.answer)
    app.button(key="FormSubmitter:quiz-before-form-Keep my answers").click().run()
    assert not app.exception and first.why.en not in shown(app)
    for question in (first, *others[:2]):
        app.radio(key=f"quiz-after-{question.id}").set_value(question.answer)
    app.button(key="FormSubmitter:quiz-after-form-Keep my answers").click().run()
    assert not app.exception and first.why.en in shown(app)
    assert "3 of 10 right" in shown(app) and "it was 1: +2" in shown(app)
    assert app.session_state["course-progress"]["quiz-after"].answers[first.id] == first.answer
    app.button(key="quiz-after-anew").click().run()
    assert app.radio(key=f"quiz-after-{first.id}").value is None


def test_a_change_of_language_keeps_the_lesson_and_its_part():
    app = open_lessons(lesson="05", part="wild")
    app.segmented_control(key="lang").set_value("zh").run()
    assert not app.exception
    assert (in_address(app, "lesson"), in_address(app, "part")) == ("05", "wild")
    assert text_of(lessons()["05"], "zh").title in shown(app)


def test_from_a_lesson_one_comes_back_to_all_of_them():
    app = open_lessons(lesson="05")
    app.selectbox(key="lesson").set_value("").run()
    assert app.selectbox(key="lesson").value == "" and "lesson" not in app.query_params
