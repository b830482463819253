"""The timeline around the stepper's cursor, with the cursor drawn into it."""

from typing import Any

from lab.catalogue import t
from lab.figures import INK
from lab.gantt import Panel, draw
from lab.study import Study

STEPS = 4
"""Steps that the picture is long."""


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
    run = study.run
    panel = Panel("", study.trace, study.gaps, study.lanes, arrows=True, hazards=run.hazards)
    figure = draw([panel], picture_window(study, at_ns)).figure
    layout = figure["layout"]
    layout["shapes"] = [*layout.get("shapes", ()), _line(at_ns)]
    layout["annotations"] = [*layout.get("annotations", ()), _flag(at_ns)]
    layout["margin"] = layout["margin"] | {"t": 20}
    layout["height"] += 14
    layout["dragmode"] = False
    return figure


def _line(at_ns: int) -> dict[str, Any]:
    return {
        "type": "line", "xref": "x", "yref": "paper", "x0": at_ns / 1e6, "x1": at_ns / 1e6,
        "y0": 0, "y1": 1, "line": {"color": INK, "width": 2}, "name": "cursor",
    }  # fmt: skip


def _flag(at_ns: int) -> dict[str, Any]:
    return {
        "text": t("stepper.flag"), "x": at_ns / 1e6, "xref": "x", "y": 1, "yref": "paper",
        "yanchor": "bottom", "showarrow": False, "font": {"size": 11, "color": INK},
    }  # fmt: skip
