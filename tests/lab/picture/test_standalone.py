"""A picture that is taken along needs no network, and text from a file stays text in it."""

import io
import re
from html.parser import HTMLParser

import pandas as pd
import pytest

from lab.picture.gantt import Panel, draw
from lab.picture.legend import legend_html
from lab.picture.shown import shown_table, told
from lab.picture.standalone import as_csv, as_page
from lab.picture.view import drawn_names
from tests.lab.samples import study

EVIL = "</script><script>alert(1)</script><img src=x onerror=alert(1)>"


class Tags(HTMLParser):
    """The elements of a page, and the addresses in them."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.asked: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.asked += [value or "" for name, value in attrs if name in ("src", "href")]


def page(title: str = "run") -> str:
    run = study("sync")
    gantt = draw([Panel(title, run.trace, run.gaps, run.lanes)], (0, 60_000_000))
    legend = legend_html(drawn_names(gantt.figure), slots=True)
    sentence, table = told(gantt.panels, gantt.window), shown_table(gantt.panels, gantt.window)
    return as_page(gantt.figure, title, sentence, legend, table).decode("utf-8")


def read(html: str) -> Tags:
    tags = Tags()
    tags.feed(html)
    return tags


def test_the_page_holds_all_that_it_needs() -> None:
    html = page()
    tags = read(html)
    assert tags.asked == [] and not re.search(r"@import|url\(", html.split("<script")[0])
    assert "Plotly.newPlot" in html and len(html) > 3_000_000
    assert "idle for" in html and tags.tags.count("tr") > 20
    assert "<title>run</title>" in html


def test_names_stay_text_in_the_page() -> None:
    plain, evil = read(page()), read(page(EVIL))
    assert evil.tags == plain.tags and evil.asked == []


@pytest.mark.parametrize("name", ["=1+1", "+cmd", "-2", "@SUM(A1)", "\t=1", "\r=1"])
def test_a_spreadsheet_gets_no_formula(name: str) -> None:
    table = pd.DataFrame({"Name": [name], "Start (ms)": [-1.5]})
    back = pd.read_csv(io.BytesIO(as_csv(table)), keep_default_na=False)
    assert back["Name"][0].startswith("'")
    assert back["Start (ms)"][0] == -1.5


def test_the_csv_is_the_table() -> None:
    run = study()
    table = shown_table([Panel("", run.trace, run.gaps, run.lanes)], (0, 30_000_000))
    back = pd.read_csv(io.BytesIO(as_csv(table)), encoding="utf-8-sig")
    assert list(back.columns) == list(table.columns) and len(back) == len(table)
    assert back.iloc[:, 0].tolist() == pytest.approx(table.iloc[:, 0].tolist())
