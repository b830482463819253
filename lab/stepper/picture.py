"""The timeline around the stepper's cursor: one run, or the two futures of a fork.

Lines across the picture, each with a flag in a row of its own, say where the cursor stands, where
the run was forked, and where the two first differ.
"""

from typing import Any, NamedTuple

from lab.catalogue import t
from lab.picture.figures import INK
from lab.picture.gantt import Gantt, Panel, draw
from lab.picture.palette import EDGE
from lab.runs import Forked
from lab.study import Study
from lab.units import exact_ms

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


def picture(study: Study, at_ns: int) -> Gantt:
    """The run's lanes around an instant, and a line through it."""
    return _drawn([_panel("", study)], picture_window(study, at_ns), [("flag", at_ns)])


def two_futures(found: Forked, at_ns: int) -> Gantt:
    """The run as it was above its fork, on one time axis, and where they first differ."""
    first = found.first
    panels = [
        _panel(t("fork.parent_title"), found.parent.study),
        _panel(_fork_title(found), found.fork.study),
    ]
    marks = [("flag", at_ns), ("fork", found.at_ns)] + [
        (name, one.at_ns)
        for name, one in (
            ("spans", first.spans), ("memory", first.writes), ("tokens", first.tokens),
        )
        if one is not None
    ]  # fmt: skip
    return _drawn(panels, picture_window(found.parent.study, at_ns), marks)


def _fork_title(found: Forked) -> str:
    fork = found.fork.study.run.config.fork
    changes = fork.text if fork is not None else ""
    ms = exact_ms(found.at_ns)
    return t("fork.fork_title", ms=ms, changes=changes or t("fork.no_change"))


def _panel(title: str, study: Study) -> Panel:
    return Panel(
        title, study.trace, study.gaps, study.lanes, arrows=True, hazards=study.run.hazards
    )


def _drawn(panels: list[Panel], window: tuple[int, int], marks: list[tuple[str, int]]) -> Gantt:
    """The panels with their marks, each by its name: the cursor's flag first."""
    told = [
        Mark("cursor", t("stepper.flag"), at_ns)
        if name == "flag"
        else Mark(name, t(f"fork.flag_{name}"), at_ns)
        for name, at_ns in marks
    ]
    return _with_marks(draw(panels, window), told)


def with_cursor(gantt: Gantt, at_ns: int, flag: str) -> Gantt:
    """A timeline with a line through an instant and a word above it."""
    return _with_marks(gantt, [Mark("cursor", flag, at_ns)])


class Mark(NamedTuple):
    """An instant (ns) with a line through it, and the word above the line."""

    name: str
    text: str
    at_ns: int


def _with_marks(gantt: Gantt, marks: list[Mark]) -> Gantt:
    """Only marks inside of the window are drawn; each keeps its row, the first the lowest."""
    layout, window = gantt.figure["layout"], gantt.window
    shown = [(row, mark) for row, mark in enumerate(marks) if window[0] <= mark.at_ns <= window[1]]
    layout["shapes"] = [*layout.get("shapes", ()), *(_line(*mark) for mark in shown)]
    layout["annotations"] = [*layout.get("annotations", ()), *(_flag(*mark) for mark in shown)]
    margin = FLAG_PX * len(marks)
    layout["margin"] = layout["margin"] | {"t": 6 + margin}
    layout["height"] += margin
    layout["dragmode"] = False
    return gantt


def _line(row: int, mark: Mark) -> dict[str, Any]:
    look = {"color": EDGE, "width": 2, "dash": "dot"} if row else {"color": INK, "width": 2}
    return {
        "type": "line", "xref": "x", "yref": "paper", "x0": mark.at_ns / 1e6,
        "x1": mark.at_ns / 1e6, "y0": 0, "y1": 1, "line": look, "name": mark.name,
    }  # fmt: skip


def _flag(row: int, mark: Mark) -> dict[str, Any]:
    """The word for a line, above the picture."""
    return {
        "text": mark.text, "x": mark.at_ns / 1e6, "xref": "x", "y": 1, "yref": "paper",
        "yanchor": "bottom", "yshift": FLAG_PX * row, "showarrow": False,
        "font": {"size": 11, "color": INK},
    }  # fmt: skip
