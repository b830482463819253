"""The second part of a lesson: its scenes, live, with the switches of that scene alone."""

import streamlit as st

from engine.mechanisms.table import BY_NAME
from lab.catalogue import t, t_or
from lab.course.predict import ASKED, reveal
from lab.course.program import show_program
from lab.course.text import ready, text
from lab.picture.view import View, timeline
from lab.picture.window import WindowKeys, forget
from lab.runs import studies, study_of
from lab.stepper.cursor import AT
from lab.study import Study
from lab.timeline.controls import WINDOW
from lab.timeline.scene import Scene as Shown
from lab.timeline.scene import panel_of
from lab.timeline.state import Choice, mode_toggles
from lab.timeline.tokens import texts_html
from lab.timeline.verdicts import verdict_row
from lessons.lesson import Lesson, Scene
from lessons.prediction import asked_scene
from lessons.scenes import config_of

LESSON_WINDOW = WindowKeys("from", "to", "lesson-chart")


def show_scenes(lesson: Lesson) -> None:
    """The scene that is chosen: what to look at, switches, figures, picture, text.

    Scenes stand in the order in which their texts build on each other. Where the one that the
    question was about is not the first, the first ones say which it is and lead to it.
    """
    words, asked = text(lesson), asked_scene(lesson)
    names = [scene.id for scene in lesson.scene]
    key = f"scene-{lesson.id}"

    def label(name: str) -> str:
        heading = _heading(words.scenes[name])
        return f"{ASKED} {heading}" if name == asked.id else heading

    st.segmented_control(
        t("lessons.scene"), names, default=names[0], required=True, key=key, format_func=label,
        label_visibility="collapsed", on_change=forget, args=(st.session_state, LESSON_WINDOW),
    )  # fmt: skip
    scene = lesson.scene_named(st.session_state.get(key) or names[0])
    if scene is asked:
        reveal(lesson)
    else:
        _lead_to(asked, label(asked.id), key, names.index(scene.id) < names.index(asked.id))
    st.markdown(ready(lesson, words.scenes[scene.id]))
    if scene.program:
        show_program(lesson, scene, LESSON_WINDOW)
    else:
        _show_run(lesson, scene)


def _lead_to(asked: Scene, label: str, key: str, comes_later: bool) -> None:
    """Which scene the question was about, and the way to it."""
    row = st.container(horizontal=True, vertical_alignment="center", gap="small")
    told = t("lessons.asked_later" if comes_later else "lessons.asked_before", scene=label)
    row.markdown(told, width="content")
    row.button(
        t("lessons.to_asked"), key=f"asked-{key}", type="tertiary", on_click=_open_scene,
        args=(key, asked.id),
    )  # fmt: skip


def _open_scene(key: str, scene: str) -> None:
    """Callback: choose a scene, to be seen in its own window."""
    st.session_state[key] = scene
    forget(st.session_state, LESSON_WINDOW)


def _show_run(lesson: Lesson, scene: Scene) -> None:
    """A run of the engine: switches, figures, picture, what was written, and the ways on."""
    changes = _switches(lesson, scene)
    shown = Shown(*studies(config_of(scene, changes)))
    verdict_row(shown.run, shown.sync, shown.bound)
    _picture(lesson, scene, shown)
    if shown.run.diff is not None:
        with st.expander(t("lessons.texts"), key=f"texts-{lesson.id}-{scene.id}"):
            requests, truth = shown.run.run.requests, shown.sync.run.requests
            st.html(texts_html(requests, truth, shown.run.diff))
    if not scene.has_own_files:  # the other pages know the engine's presets alone
        _ways_on(scene, changes)


def _heading(markdown: str) -> str:
    """The scene's own heading, for its button."""
    first = markdown.partition("\n")[0]
    return first.removeprefix("### ")


def _switches(lesson: Lesson, scene: Scene) -> dict[str, str]:
    """The switches of the scene; returns those that are not as the scene has them."""
    of_scene = mode_toggles(Choice(scene.mode).scene) | scene.toggles
    keys = {name: f"{lesson.id}-{scene.id}-{name}" for name in scene.switches}
    if not keys:
        return {}
    row = st.container(horizontal=True, vertical_alignment="bottom", gap="medium")
    changes = {}
    for name, key in keys.items():
        value = _switch(row, name, key, of_scene[name])
        if value != of_scene[name]:
            changes[name] = value
    row.button(
        t("lessons.reset_scene"), key=f"reset-{lesson.id}-{scene.id}", type="tertiary",
        disabled=not changes, on_click=_put_back,
        args=({keys[name]: of_scene[name] for name in keys},),
    )  # fmt: skip
    return changes


def _switch(row: st.delta_generator.DeltaGenerator, name: str, key: str, default: str) -> str:
    """One switch with all its values in sight, as high as the others of the row."""
    info = BY_NAME[name]
    chosen = row.segmented_control(
        f"`{name}`", info.values, default=default, required=True, key=key, width="content",
        help=t_or(f"mechanism.{name}.protects", info.protects),
    )  # fmt: skip
    return chosen or default


def _put_back(values: dict[str, str]) -> None:
    """Callback: set the switches as the scene has them."""
    st.session_state.update(values)


def _picture(lesson: Lesson, scene: Scene, shown: Shown) -> None:
    panels = [panel_of(t("panel.run"), shown.run, everything=True)]
    if scene.beside:
        other = lesson.scene_named(scene.beside)
        name = _heading(text(lesson).scenes[other.id])
        panels.insert(0, panel_of(name, _study(other), everything=False))
    run = shown.run
    kernels = run.trace.spans[run.trace.spans["kind"] == "kernel"]
    start, end = scene.window_ms or (0.0, min(100.0, run.numbers.wall_ms))
    timeline(
        View(
            keys=LESSON_WINDOW,
            extent=(0, max(run.run.wall_ns, round(end * 1e6))),
            default=(round(start * 1e6), round(end * 1e6)),
            busy={t("overview.gpu"): kernels},
            gaps=run.gaps,
            slots=True,
            alt=t("lessons.alt"),
            end_ns=run.run.wall_ns,
        ),
        panels,
    )


def _study(scene: Scene) -> Study:
    return study_of(config_of(scene))


def _ways_on(scene: Scene, changes: dict[str, str]) -> None:
    """The same run in the stepper at its instant, in the race explorer, on the timeline."""
    query = Choice(
        scene.mode, {**scene.toggles, **changes}, scene.cost or "", scene.workload or "",
        scene.batch, scene.steps, scene.requests, scene.seed, scene.jitter, scene.compute,
    ).query()  # fmt: skip
    row = st.container(horizontal=True, gap="medium")
    start, end = scene.window_ms or (0.0, 100.0)
    pages = {
        "stepper": {AT: f"{scene.at_ms:.6f}"},
        "races": {},
        "timeline": {WINDOW.start: str(start), WINDOW.end: str(end)},
    }
    for page, more in pages.items():
        row.page_link(
            f"lab/pages/{page}.py", label=t(f"lessons.to_{page}"), query_params={**query, **more}
        )
