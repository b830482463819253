"""Another language changes words, and nothing that was chosen."""

import pytest

from tests.lab.apps import INSPECT, in_address, open_page, timeline

LESSONS, RECORD, STEPPER = (f"lab/pages/{name}.py" for name in ("lessons", "record", "stepper"))


@pytest.mark.parametrize(
    ("page", "query", "kind", "key", "value"),
    [
        (STEPPER, {"steps": "4"}, "selectbox", "fork-what", "host"),
        (RECORD, {"steps": "4"}, "radio", "record-way", "widened"),
        (LESSONS, {"lesson": "07"}, "radio", "predict-07", 2),
        (INSPECT, {}, "selectbox", "sample", "Asynchronous engine"),
    ],
)
def test_what_was_chosen_outlives_a_change_of_language(
    page: str, query: dict[str, str], kind: str, key: str, value: object
) -> None:
    app = open_page(page, **query)
    assert app.session_state[key] != value
    getattr(app, kind)(key=key).set_value(value).run()
    app.segmented_control(key="lang").set_value("zh").run()
    assert not app.exception
    assert app.session_state[key] == value
    # A browser tells a choice by the name that it shows: it must hear the new one, or it goes on
    # with the old, which the next run cannot understand.
    assert getattr(app, kind)(key=key).proto.set_value


def test_the_open_tab_outlives_a_change_of_language_and_stands_in_the_url_as_a_code() -> None:
    app = timeline(compute="off", tab="idle")
    before = [tab.label for tab in app.tabs]
    app.segmented_control(key="lang").set_value("zh").run()
    assert not app.exception
    assert [tab.label for tab in app.tabs] != before
    assert app.session_state["tab"] == in_address(app, "tab") == "idle"
    assert app.session_state["tab-shown"] == app.tabs[2].label
