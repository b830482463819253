"""The menu and the fold beside a picture: empty until they are opened, then whole."""

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
    gaps = table[(table[t("shown.run")] == t("home.sync"))]
    gaps = gaps[gaps[t("span.kind")] == t("shown.gap")]
    assert f"gaps: {len(gaps)}," in alt
