"""What stands beside a picture: a menu to save it, and a fold with the same as a table.

Both are worked out once they are opened. A picture file is made in the browser, of what is seen
there, by the picture's own script: no browser and no network is needed where the app is served.
"""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd
import streamlit as st

from lab.catalogue import t
from lab.picture.gantt import Gantt
from lab.picture.legend import legend_html
from lab.picture.shown import shown_table, told
from lab.picture.standalone import as_csv, as_page

NAME = "overlap-lab"
"""Name of all saved files, without its ending."""

_saver = st.components.v2.component(
    "picture_saver",
    html='<div class="saver"></div>',
    css=(Path(__file__).resolve().parents[1] / "browser" / "save.css").read_text("utf-8"),
    js=(Path(__file__).resolve().parents[1] / "browser" / "save.js").read_text("utf-8"),
)


def timeline_tools(gantt: Gantt, key: str, names: list[str], slots: bool) -> None:
    """Menu and table of a timeline that is shown under `key`. `names` and `slots` are those of its
    legend."""

    def table() -> pd.DataFrame:
        return shown_table(gantt.panels, gantt.window)

    def page() -> bytes:
        sentence = told(gantt.panels, gantt.window)
        return as_page(gantt.figure, t("app.title"), sentence, legend_html(names, slots), table())

    _tools(key, ("png", "svg"), page, table)


def picture_menu(key: str) -> None:
    """The menu of a chart that is shown under `key`: picture files alone."""
    _menu(key, ("png", "svg"), None)


def canvas_tools(canvas: str, gantt: Callable[[], Gantt], names: list[str], slots: bool) -> None:
    """The menu of a canvas, which has a table of its own; as a page it becomes a `gantt`."""

    def page() -> bytes:
        drawn = gantt()
        sentence, legend = told(drawn.panels, drawn.window), legend_html(names, slots)
        table = shown_table(drawn.panels, drawn.window)
        return as_page(drawn.figure, t("app.title"), sentence, legend, table)

    _menu(canvas, ("png",), page)


def table_fold(key: str, table: Callable[[], pd.DataFrame]) -> None:
    """A picture's numbers as a table, with a CSV file of it, in a fold."""
    fold = st.expander(t("tools.table"), key=f"{key}-table", on_change="rerun")
    if not fold.open:
        return
    with fold:
        rows = table()
        st.dataframe(rows, hide_index=True, column_config=_formats(rows), placeholder="–")
        st.download_button(
            t("tools.csv"), partial(as_csv, rows), f"{NAME}.csv", "text/csv", key=f"{key}-csv",
            on_click="ignore",
        )  # fmt: skip


def _tools(
    key: str, kinds: tuple[str, ...], page: Callable[[], bytes], table: Callable[[], pd.DataFrame]
) -> None:
    row = st.container(horizontal=True, gap="small")
    with row:
        _menu(key, kinds, page)
        table_fold(key, table)


def _menu(key: str, kinds: tuple[str, ...], page: Callable[[], bytes] | None) -> None:
    """Picture files of `kinds`, and the page, if there is one."""
    about = t("tools.help" if page else "tools.picture_help")
    menu = st.popover(t("tools.save"), key=f"{key}-save", on_change="rerun", help=about)
    if not menu.open:
        return
    with menu:
        labels = [t(f"tools.{kind}") for kind in kinds]
        _saver(
            key=f"{key}-saver",
            data={"picture": key, "kinds": list(kinds), "labels": labels, "name": NAME},
        )
        if page:
            st.download_button(
                t("tools.page"), page, f"{NAME}.html", "text/html", key=f"{key}-page",
                on_click="ignore",
            )  # fmt: skip
            st.caption(t("tools.page_help"))


def _formats(table: pd.DataFrame) -> dict[str, Any]:
    """Times to the ns, as they are everywhere in the tables."""
    ms = st.column_config.NumberColumn(format="%,.6f")
    return {name: ms for name in table.columns if str(name) in (t("span.start"), t("span.dur"))}
