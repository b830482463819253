"""The Timeline page: a scene with its mechanisms, beside the correct runs of the same work."""

import streamlit as st

from lab.catalogue import t
from lab.chosen import chosen
from lab.escape import for_markdown
from lab.guard import one_sentence
from lab.in_url import BOUND
from lab.picture.gantt import Panel
from lab.picture.view import View, timeline
from lab.runs import studies
from lab.stepper.anatomy import anatomy_query
from lab.stepper.cursor import AT
from lab.timeline.controls import WINDOW, mode_summary
from lab.timeline.scene import Scene
from lab.timeline.state import Choice, file_name, link
from lab.timeline.switches import switched_panel
from lab.timeline.tabs import scene_tabs
from lab.timeline.verdicts import verdict_row

PINS = ("sync", "async")


def page() -> None:
    """Verdicts, timeline, tabs."""
    head = st.container()
    choice = chosen()
    buttons = _title(head, choice)
    with one_sentence():
        scene = Scene(*studies(choice.config()))
        if choice.compute and not scene.run.run.config.compute:
            head.caption(t("head.timing_only"))
        verdict_row(scene.run, scene.sync, scene.bound)
        with st.container():  # keeps its place: fields that are shifted lose their tie to the URL
            switched_panel(scene.run)
        pins = st.pills(
            t("pins.label"), PINS, selection_mode="multi", default=PINS, key="pins", bind=BOUND,
            help=t("pins.help"),
        )  # fmt: skip
        names = list(pins)
        panels = scene.panels(names)
        window = timeline(_view(scene, names, panels), panels)
        scene_tabs(scene, names, window)
        with buttons:
            _take_along(choice, scene)
            _open_stepper(sum(window) / 2)


def _title(
    head: st.delta_generator.DeltaGenerator, choice: Choice
) -> st.delta_generator.DeltaGenerator:
    """What is shown; returns the place for the buttons beside it."""
    title = for_markdown(choice.mode)
    if choice.changes:
        title += f" :blue-badge[{t('head.changed', count=len(choice.changes))}]"
    row = head.container(horizontal=True, vertical_alignment="center")
    row.markdown(f"# {title}", width="content")
    undone = [name for name in choice.changes if name in choice.scene.toggles]
    if undone:
        head.caption(t("head.undone", toggles=", ".join(undone)))
    else:
        head.caption(mode_summary(choice.mode))
    return row


def _take_along(choice: Choice, scene: Scene) -> None:
    """The ways to take the page and the run along. Comes last, when all widgets have a value."""
    with st.popover(t("head.link")):
        st.caption(t("head.link_help"))
        st.code(link(st.context.url or "", _query(choice)), language=None, wrap_lines=True)
    st.download_button(
        t("head.download"), lambda: scene.run.file, file_name(choice), "application/gzip",
        help=t("head.download_help"), key="download",
    )  # fmt: skip


def _open_stepper(at_ns: float) -> None:
    st.page_link(
        "lab/pages/stepper.py", label=t("head.stepper"), help=t("head.stepper_help"),
        query_params={AT: f"{at_ns / 1e6:.6f}"},
    )  # fmt: skip


def _query(choice: Choice) -> dict[str, str | list[str]]:
    """The page's URL: the run, and what is looked at."""
    state = st.session_state
    query: dict[str, str | list[str]] = {**choice.query()}
    for key in (WINDOW.start, WINDOW.end):
        if state.get(key) is not None:
            query[key] = str(state[key])
    pins = state.get("pins", PINS)
    if list(pins) != list(PINS):
        query["pins"] = list(pins) or [""]
    if state.get("tab", "text") != "text":
        query["tab"] = state["tab"]
    return query | anatomy_query()


def _view(scene: Scene, names: list[str], panels: list[Panel]) -> View:
    run = scene.run
    return View(
        keys=WINDOW,
        extent=scene.extent(names),
        default=scene.opening.window,
        why=scene.opening.why,
        busy={t("overview.gpu"): run.kernels},
        gaps=run.gaps,
        slots=True,
        alt=t("timeline.alt"),
        end_ns=run.run.wall_ns,
    )


page()
