"""The timeline around the stepper's cursor: one run, or the two futures of a fork.

Lines across the picture, each with a flag in a row of its own, say where the cursor stands, where
the run was forked, and where the two first differ.
"""

from typing import Any

from lab.catalogue import t
from lab.figures import INK
from lab.gantt import Panel, draw
from lab.palette import EDGE
from lab.runs import Forked
from lab.study import Study

STEPS = 4
"""Steps that the picture is long."""

FLAG_PX = 14


def picture_window(study: Study, at_ns: int) -> tuple[int, int]:
    """The page of the run on which an instant lies: pages are so long that the cursor crosses
    the picture before it changes, and overlap a little."""
    run = study.run
    step_ns = max(1, run.wall_ns // max(1, run.steps))
    page_ns = (STEPS - 1) * step_ns
    start = at_ns // page_ns * page_ns - step_ns // 2
    return max(0, start), max(0, start) + STEPS * step_ns


def picture(study: Study, at_ns: int) -> dict[str, Any]:
    """The run's lanes around an instant, and a line through it."""
    return _drawn([_panel("", study)], picture_window(study, at_ns), [("flag", at_ns)])


def two_futures(found: Forked, at_ns: int) -> dict[str, Any]:
    """The run as it was above its fork, on one time axis, and where they first differ."""
    first = found.first
    panels = [
        _panel(t("fork.parent_title"), found.parent.study),
        _panel(t("fork.fork_title"), found.fork.study),
    ]
    marks = [("flag", at_ns), ("fork", found.at_ns)] + [
        (name, one.at_ns)
        for name, one in (
            ("spans", first.spans), ("memory", first.writes), ("tokens", first.tokens),
        )
        if one is not None
    ]  # fmt: skip
    return _drawn(panels, picture_window(found.parent.study, at_ns), marks)


def _panel(title: str, study: Study) -> Panel:
    return Panel(
        title, study.trace, study.gaps, study.lanes, arrows=True, hazards=study.run.hazards
    )


def _drawn(
    panels: list[Panel], window: tuple[int, int], marks: list[tuple[str, int]]
) -> dict[str, Any]:
    figure = draw(panels, window).figure
    layout = figure["layout"]
    shown = [(row, *mark) for row, mark in enumerate(marks) if window[0] <= mark[1] <= window[1]]
    layout["shapes"] = [*layout.get("shapes", ()), *(_line(*mark) for mark in shown)]
    layout["annotations"] = [*layout.get("annotations", ()), *(_flag(*mark) for mark in shown)]
    margin = FLAG_PX * len(marks)
    layout["margin"] = layout["margin"] | {"t": 6 + margin}
    layout["height"] += margin
    layout["dragmode"] = False
    return figure


def _line(row: int, name: str, at_ns: int) -> dict[str, Any]:
    look = {"color": EDGE, "width": 2, "dash": "dot"} if row else {"color": INK, "width": 2}
    return {
        "type": "line", "xref": "x", "yref": "paper", "x0": at_ns / 1e6, "x1": at_ns / 1e6,
        "y0": 0, "y1": 1, "line": look, "name": "cursor" if name == "flag" else name,
    }  # fmt: skip


def _flag(row: int, name: str, at_ns: int) -> dict[str, Any]:
    """The word for a line, above the picture; the first row is the lowest."""
    return {
        "text": t(f"stepper.{name}" if name == "flag" else f"fork.flag_{name}"),
        "x": at_ns / 1e6, "xref": "x", "y": 1, "yref": "paper", "yanchor": "bottom",
        "yshift": FLAG_PX * row, "showarrow": False, "font": {"size": 11, "color": INK},
    }  # fmt: skip
