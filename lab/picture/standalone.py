"""Files that a picture is taken along in: a page that needs no network, a table for spreadsheets.

The page holds Plotly's script, the picture, its legend, what it shows as a sentence, and the table.
Names in them come from files and are escaped.
"""

from typing import Any

import pandas as pd
import plotly.io

from lab.catalogue import language, t
from lab.escape import for_html, one_line
from traces.output import no_formula

LONGEST = 10_000

CONFIG = {
    "displaylogo": False,
    "responsive": True,
    "toImageButtonOptions": {"format": "svg", "filename": "overlap-lab"},
}

CSS = """
body { font-family: system-ui, sans-serif; margin: 1.5rem; color: #1f2328; background: #fff; }
p { max-width: 60rem; line-height: 1.5; }
details { margin-top: 1rem; font-size: .85rem; }
table { border-collapse: collapse; }
th, td { border-bottom: 1px solid #d8dce0; padding: .15rem .6rem; text-align: left; }
figure { margin: 0; break-inside: avoid; }
"""


def as_page(
    figure: dict[str, Any], title: str, sentence: str, legend: str, table: pd.DataFrame
) -> bytes:
    """One HTML file, about 5 MB of it Plotly's script. `legend` is HTML, all else text."""
    layout = {"template": plotly.io.templates["plotly_white"].to_plotly_json()} | figure["layout"]
    layout |= {"dragmode": "zoom", "hovermode": "closest"}
    picture = plotly.io.to_html(
        {"data": figure["data"], "layout": layout}, CONFIG, include_plotlyjs=True,
        full_html=False, validate=False,
    )  # fmt: skip
    rows = table.to_html(index=False, border=0, na_rep="", escape=True)
    head = for_html(title)
    page = f"""<!doctype html>
<html lang="{language()}">
<head><meta charset="utf-8"><title>{head}</title><style>{CSS}</style></head>
<body>
<h1>{head}</h1>
<figure aria-label="{for_html(sentence)}">{picture}</figure>
{legend}
<p>{for_html(sentence)}</p>
<details><summary>{for_html(t("tools.table"))}</summary>{rows}</details>
</body>
</html>
"""
    return page.encode("utf-8")


def as_csv(table: pd.DataFrame) -> bytes:
    """The table as CSV in UTF-8 with a mark, by which spreadsheets know it. Text that they would
    take for a formula has an apostrophe before it, and no line is broken."""
    return table.map(_plain).to_csv(index=False).encode("utf-8-sig")


def _plain(value: object) -> object:
    if not isinstance(value, str):
        return value
    return no_formula(one_line(value, LONGEST))
