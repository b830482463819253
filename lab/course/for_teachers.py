"""For teachers: how a class is run, and what it predicted, from its files of progress.

The files are read, counted and forgotten; nothing of them is stored.
"""

import re
from ipaddress import ip_address
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import streamlit as st

from lab.catalogue import language, t
from lab.course.text import text
from lab.escape import for_markdown, for_plotly
from lab.guard import one_sentence
from lab.picture.figures import FONT_PX, INK, frame
from lab.picture.palette import HOST, SLOT_HUES, WHITE
from lab.picture.view import show_figure
from lab.units import rounded
from lessons.class_predictions import Bar, count_right, histogram, predictions
from lessons.lesson import Lesson
from lessons.loading import lessons
from lessons.prediction import truth, unit_of
from lessons.progress import Done, loaded
from lessons.progress_file import ProgressError

DOCS = Path(__file__).resolve().parents[2] / "docs"
FILE_LINK = re.compile(r"\[([^\]]+)\]\((?!https?:)[^)]+\)")
"""A link from one file of the documentation to another, which the lab does not serve."""

LONGEST_LABEL = 60
RIGHT_PATTERN = "/"


def class_guide(language: str) -> str:
    """docs/running-a-class.md without its title, with other files named and not linked; "" where
    the documentation is not at hand."""
    own = DOCS / f"running-a-class.{language}.md"
    path = own if own.is_file() else DOCS / "running-a-class.md"
    if not path.is_file():
        return ""
    _, _, body = path.read_text("utf-8").partition("\n")
    return FILE_LINK.sub(r"`\1`", body).replace("\n## ", "\n#### ").strip()


def is_of_this_machine(url: str) -> bool:
    """Whether an address leads to the lab only on the machine that it runs on."""
    host = urlsplit(url).hostname or ""
    try:
        return ip_address(host).is_loopback
    except ValueError:  # a name
        return host == "localhost"


def class_predictions() -> None:
    """Take a class's files, and show how it predicted a lesson, beside what the run says."""
    st.caption(t("class.help"))
    progress = _uploaded()
    given = {name: predictions(lesson, progress) for name, lesson in lessons().items()}
    names = [name for name, found in given.items() if found]
    if not names:
        if progress:
            st.info(t("class.nothing"))
        return
    name: str = st.selectbox(
        t("lessons.lesson"), names, key="class-lesson", width=420,
        format_func=lambda name: f"{name} · {text(lessons()[name]).title}",
    )  # fmt: skip
    with one_sentence():
        _show(lessons()[name], given[name])


def _uploaded() -> list[dict[str, Done]]:
    """What the files hold; a file that holds no progress is named and left out."""
    files = st.file_uploader(
        t("class.files"), type="json", accept_multiple_files=True, key="class-files"
    )
    progress = []
    for file in files:
        try:
            progress.append(loaded(file.getvalue()))
        except ProgressError as error:
            st.warning(f"{for_markdown(file.name)}: {for_markdown(error.said(language()))}")
    return progress


def _show(lesson: Lesson, given: list[float]) -> None:
    bars = histogram(lesson, given, language())
    right = next(bar.label for bar in bars if bar.right)
    value = f"{rounded(truth(lesson), 4)} {unit_of(lesson, language())}"
    told = t(
        "class.told", count=len(given), right=count_right(lesson, given),
        value=value, label=for_markdown(right),
    )  # fmt: skip
    st.markdown(told)
    counts = "; ".join(f"{bar.label}: {bar.count}{' ✓' if bar.right else ''}" for bar in bars)
    alt = t("class.alt", id=lesson.id, told=counts)
    show_figure(_figure(bars), f"class-chart-{lesson.id}", alt)
    st.caption(t("class.legend"))


def _figure(bars: list[Bar]) -> dict[str, Any]:
    """A bar an answer, the first on top; the right one has its own colour, pattern and mark."""
    labels = [f"{'✓ ' if bar.right else ''}{for_plotly(bar.label, LONGEST_LABEL)}" for bar in bars]
    trace = {
        "type": "bar", "orientation": "h", "x": [bar.count for bar in bars],
        "y": list(range(len(bars))), "text": [str(bar.count) for bar in bars],
        "textposition": "outside", "cliponaxis": False, "textfont": {"color": INK},
        "marker": {
            "color": [SLOT_HUES[1] if bar.right else HOST for bar in bars],
            "pattern": {
                "shape": [RIGHT_PATTERN if bar.right else "" for bar in bars],
                "fillmode": "overlay", "fgcolor": WHITE,
            },
        },
        "hoverinfo": "text", "hovertext": [for_plotly(bar.label, 200) for bar in bars],
    }  # fmt: skip
    layout = frame(
        height=60 + 34 * len(bars),
        margin={"l": 8, "r": 30, "t": 6, "b": 34},
        xaxis={
            "title": {"text": t("class.axis"), "font": {"size": FONT_PX, "color": INK}},
            "rangemode": "tozero", "fixedrange": True, "tickformat": "d",
            "tickfont": {"size": FONT_PX - 1, "color": INK},
        },
        yaxis={
            "autorange": "reversed", "fixedrange": True, "automargin": True,
            "tickmode": "array", "tickvals": list(range(len(bars))), "ticktext": labels,
            "tickfont": {"size": FONT_PX, "color": INK},
        },
    )  # fmt: skip
    return {"data": [trace], "layout": layout}
