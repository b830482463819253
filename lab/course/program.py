"""A scene that is a small program on the device: its options, its figures, its timeline."""

from dataclasses import replace

import streamlit as st

from engine.oplog import NONE
from lab.catalogue import t
from lab.picture.gantt import Panel, draw
from lab.picture.lanes import make_lanes
from lab.picture.view import View, show_timeline, timeline
from lab.picture.window import Window, WindowKeys
from lab.units import rounded, short_ms
from lessons.lesson import Lesson, Scene
from lessons.programs import Ran, ran
from traces import find_gaps, idle_stretches

ROOM = 1.02
"""The picture ends a little behind the program."""


def show_program(lesson: Lesson, scene: Scene, keys: WindowKeys) -> None:
    """The run of a scene's program with the options that are chosen, to zoom into."""
    run = ran(lesson.folder, scene, _options(lesson, scene))
    panel, whole = _panel(run), whole_of_program(run)
    alt = t("program.alt", name=panel.title)
    timeline(View(keys, whole, whole, {}, panel.gaps, _has_slots(run), alt), [panel])


def draw_program(lesson: Lesson, scene: Scene) -> None:
    """The picture of a program alone."""
    run = ran(lesson.folder, scene)
    panel = _panel(run)
    gantt = draw([panel], whole_of_program(run))
    alt = t("program.alt", name=panel.title)
    show_timeline(gantt, f"program-{lesson.id}-{scene.id}", alt, _has_slots(run))


def _panel(run: Ran) -> Panel:
    """A program's lanes under a title that says how long it took and whether anything races."""
    told = t("program.hazards", count=len(run.hazards)) if run.hazards else t("program.no_hazards")
    title = t("program.title", total=short_ms(run.wall_ns), hazards=told)
    for name, value in run.computed.items():
        title += " · " + t(f"program.computed_{name}", value=rounded(value, 3))
    return replace(panel_of_program(run, title), arrows=True, hazards=run.hazards)


def panel_of_program(run: Ran, title: str) -> Panel:
    """A program's lanes alone."""
    lanes = make_lanes(run.trace, idle_stretches(run.trace))
    return Panel(title, run.trace, find_gaps(run.trace), lanes)


def _has_slots(run: Ran) -> bool:
    """Whether a program's work belongs to slots."""
    return any(op.slot != NONE for op in run.work)


def whole_of_program(run: Ran) -> Window:
    """The window that shows all of it (ns)."""
    return 0, round(run.wall_ns * ROOM)


def _options(lesson: Lesson, scene: Scene) -> dict[str, str]:
    """What the learner chooses for each option; the first value leads."""
    if not scene.options:
        return {}
    row = st.container(horizontal=True, vertical_alignment="bottom", gap="medium")
    chosen = {}
    for name, values in scene.options.items():
        value = row.segmented_control(
            f"`{name}`", values, default=values[0], required=True, width="content",
            key=f"{lesson.id}-{scene.id}-{name}",
        )  # fmt: skip
        chosen[name] = value or values[0]
    return chosen
