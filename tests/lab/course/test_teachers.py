"""The page for teachers: its links, its guides, and what a class predicted."""

import json

import pytest

from lab.course.for_teachers import is_of_this_machine
from lessons.loading import lessons, text_of
from tests.lab.course.pages import TEACHERS, open_lessons, shown


def test_a_class_sees_its_predictions_beside_what_the_run_says():
    app = open_lessons(page=TEACHERS)
    good = [f'{{"version": 1, "lessons": {{"02": {{"predicted": {n}}}}}}}' for n in (0, 0, 2)]
    kind = "application/json"
    files = [(f"{n}.json", text.encode(), kind) for n, text in enumerate([*good, "{"])]
    app.file_uploader(key="class-files").set_value(files).run()
    assert not app.exception and "no progress" in app.warning[0].value
    assert "3 predictions, 2 of them right. The run says 76" in shown(app)
    (chart,) = app.get("plotly_chart")
    (bars,) = json.loads(chart.proto.spec)["data"]
    assert bars["x"] == [2, 0, 1] and bars["marker"]["pattern"]["shape"] == ["/", "", ""]


def test_a_teacher_gets_a_pinned_link_and_a_learner_who_is_pinned_gets_nothing():
    app = open_lessons(page=TEACHERS)
    app.selectbox(key="teachers-lesson").set_value("07").run()
    assert not app.exception and "lesson=07&lang=en&part=predict&lock=1" in app.code[0].value
    assert "grade class/" in app.code[1].value
    assert text_of(lessons()["07"], "en").choices[0] in shown(app)
    assert "#### Grading" in shown(app) and ".md](" not in shown(app)
    app = open_lessons(page=TEACHERS, lock="1")
    assert not app.exception and not app.code and not app.get("file_uploader")


@pytest.mark.parametrize(
    ("url", "alone"),
    [("http://127.0.0.1:8501/teachers", True), ("http://localhost:8501", True),
     ("http://[::1]:8501", True), ("http://192.168.1.7:8501", False),
     ("https://lab.school.example/teachers", False), ("", False)],
)  # fmt: skip
def test_an_address_that_only_this_machine_can_open_is_known(url, alone):
    assert is_of_this_machine(url) == alone
