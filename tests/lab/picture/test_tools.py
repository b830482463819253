"""The menu and the fold beside a picture: empty until they are opened, then whole."""

import json

from streamlit.testing.v1 import AppTest

from lab.catalogue import t
from tests.lab.apps import open_page


def labels(app: AppTest, kind: str) -> list[str]:
    return [element.label for element in app.get(kind)]


def test_menu_and_fold_are_worked_out_once_they_are_opened() -> None:
    app = open_page()
    assert labels(app, "download_button") == [] and not app.dataframe
    assert not app.get("bidi_component")
    for part in ("save", "table"):
        app.session_state[f"closing-{part}"] = True
    app.run()
    assert not app.exception
    assert labels(app, "download_button") == [t("tools.page"), t("tools.csv")]
    assert len(app.get("bidi_component")) == 1
    table = app.dataframe[0].value
    assert set(table[t("shown.run")]) == {t("home.sync"), t("home.async")}
    alt = app.get("plotly_chart")[0].proto.alt
    assert app.dataframe[0].proto.placeholder == "–" and table[t("span.step")].isna().any()
    gaps = table[(table[t("shown.run")] == t("home.sync"))]
    gaps = gaps[gaps[t("span.kind")] == t("shown.gap")]
    assert f"gaps: {len(gaps)}," in alt


def test_a_chart_that_is_no_timeline_is_saved_as_a_picture_alone() -> None:
    app = open_page("lab/pages/sweep.py")
    app.session_state["sweep-picture-save"] = True
    app.run()
    assert not app.exception
    (saver,) = app.get("bidi_component")
    assert json.loads(saver.proto.json)["kinds"] == ["png", "svg"]
    assert t("tools.page") not in labels(app, "download_button")
