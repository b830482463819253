"""The sidebar of the Timeline page: which scene, and every mechanism with its switch.

Each widget is bound to the URL under its own name, with the scene's value as its default, so
that the URL holds only what was changed. Choosing a scene sets all switches to it.
"""

import streamlit as st

from engine.device.cost import CostError, CostModel
from engine.device.costs import COSTS
from engine.device.step_cost import cost_named
from engine.mechanisms.table import BY_NAME, MOST, TABLE, Info, MechanismError, parse
from engine.mechanisms.words import in_words
from engine.modes.table import MODES
from engine.workloads.presets import WORKLOADS
from lab.catalogue import t, t_or
from lab.escape import sentence_for_markdown
from lab.in_url import BOUND, bound_number
from lab.picture.window import WindowKeys, forget
from lab.sentences import in_language
from lab.timeline.find_switch import find_switch
from lab.timeline.state import DEFAULT_MODE, Choice, default_workload, mode_toggles

WINDOW = WindowKeys("t0", "t1", "timeline")
SHORT_VALUES = 22
"""Letters that the values of a row of buttons may have together."""

MOST_BATCH, MOST_STEPS, MOST_REQUESTS, MOST_SEED = 64, 8192, 512, 2**31 - 1
MOST_JITTER, MOST_TIMING = 90.0, 1_000_000


def scene_controls() -> Choice:
    """Draw the sidebar and return what is chosen."""
    mode = _mode_picker()
    cost, workload = _cost_and_workload(mode)
    changes = _mechanisms(mode)
    return _advanced(Choice(mode, changes, cost, workload))


def choose_mode(mode: str) -> None:
    """Callback: switch to a scene, and set everything as the scene has it."""
    st.session_state["mode"] = mode
    apply_mode()


def apply_mode() -> None:
    """Callback: set every switch to the chosen scene; the way the run is cut stays."""
    scene = MODES[st.session_state["mode"]]
    for name, value in mode_toggles(scene).items():
        _set_toggle(name, value)
    state = st.session_state
    state["cost"], state["workload"], state["seed"] = scene.cost, scene.workload, scene.seed
    forget(state, WINDOW)


def apply_cost() -> None:
    """Callback: a cost model brings its workload along."""
    scene = MODES[st.session_state["mode"]]
    try:
        st.session_state["workload"] = default_workload(scene, st.session_state["cost"])
    except CostError:
        return  # what was typed in is no cost model, and the page says so
    forget(st.session_state, WINDOW)


def reset_toggles(*names: str) -> None:
    """Callback: set toggles back to the scene's value."""
    values = mode_toggles(MODES[st.session_state["mode"]])
    for name in names:
        _set_toggle(name, values[name])


def put_back(name: str) -> None:
    """Callback: set a toggle to its right value, whatever the scene has."""
    _set_toggle(name, BY_NAME[name].correct)


def _set_toggle(name: str, value: str) -> None:
    st.session_state[name] = int(value) if value.isdecimal() else value


def mode_summary(name: str) -> str:
    """The sentence that says what a scene is."""
    return t_or(f"mode.{name}", MODES[name].summary)


def _mode_picker() -> str:
    names = list(MODES)
    mode = st.selectbox(
        t("scene.label"), names, index=names.index(DEFAULT_MODE), key="mode", bind=BOUND,
        on_change=apply_mode,
    )  # fmt: skip
    st.caption(mode_summary(mode))
    browser = st.popover(t("scene.browse"), on_change="rerun", key="browse", width="stretch")
    if browser.open:
        with browser:
            _browse(mode)
    return mode


def _browse(chosen: str) -> None:
    """All scenes by group; the sentence of each is its tooltip."""
    for group in dict.fromkeys(mode.group for mode in MODES.values()):
        st.caption(t_or(f"group.{group}", group))
        row = st.container(horizontal=True, gap="xsmall")
        for mode in MODES.values():
            if mode.group == group:
                row.button(
                    mode.name, key=f"scene-{mode.name}", on_click=choose_mode, args=(mode.name,),
                    type="primary" if mode.name == chosen else "secondary",
                    help=mode_summary(mode.name),
                )  # fmt: skip


def _cost_and_workload(mode: str) -> tuple[str, str]:
    scene = MODES[mode]
    costs, workloads = list(COSTS), list(WORKLOADS)
    asked = st.selectbox(
        t("cost.label"), costs, index=costs.index(scene.cost), key="cost", bind=BOUND,
        on_change=apply_cost, help=t("cost.help"), accept_new_options=True,
    )  # fmt: skip
    model = _cost_or(asked, scene.cost)
    cost = model.name
    st.caption(t_or(f"cost.{cost}", in_language(model.about)))
    workload = st.selectbox(
        t("workload.label"), workloads, key="workload", bind=BOUND,
        index=workloads.index(default_workload(scene, cost)),
    )  # fmt: skip
    st.caption(t_or(f"workload.{workload}", WORKLOADS[workload].about))
    return cost, workload


def _cost_or(asked: str | None, default: str) -> CostModel:
    """The cost model that was chosen or typed in; another one with a word where it is none."""
    try:
        return cost_named(asked or default)
    except CostError as error:
        st.error(sentence_for_markdown(in_language(str(error)), 400))
        return COSTS[default]


def _mechanisms(mode: str) -> dict[str, str]:
    """All toggles in their groups; returns those that differ from the scene's."""
    of_mode = mode_toggles(MODES[mode])
    head = st.container(horizontal=True, vertical_alignment="center")
    head.markdown(f"**{t('toggles.title')}**")
    now = {info.name: _current(info.name, of_mode[info.name]) for info in TABLE}
    find_switch(now, _set_toggle)
    changes: dict[str, str] = {}
    for group in dict.fromkeys(info.group for info in TABLE):
        members = [info for info in TABLE if info.group == group]
        changed = [info.name for info in members if now[info.name] != of_mode[info.name]]
        differs = sum(now[info.name] != info.correct for info in members)
        label = t_or(f"group.{group}", group) + (f" :blue-badge[{differs}]" if differs else "")
        with st.expander(label, expanded=bool(differs), key=f"group-{group}-{mode}"):
            for info in members:
                value = _toggle(info, of_mode[info.name], info.name in changed)
                if value != of_mode[info.name]:
                    changes[info.name] = value
    head.button(
        t("toggles.reset_all"), key="reset-all", type="tertiary", disabled=not changes,
        on_click=reset_toggles, args=tuple(changes),
    )  # fmt: skip
    return changes


def _current(name: str, default: str) -> str:
    """A toggle's value before its switch is drawn. Until a page's first run has drawn it, only
    the URL knows."""
    if name in st.session_state:
        return str(st.session_state[name])
    value = st.query_params.get(name, default)
    try:
        parse(name, value)
    except MechanismError:
        return default
    return value


def _toggle(info: Info, default: str, changed: bool) -> str:
    """One switch with its sentence; a mark says when it is not as the engine wants it."""
    badge = ""
    if changed:
        badge = f" :blue-badge[{t('toggles.changed')}]"
    elif default != info.correct:
        badge = f" :gray-badge[{t('toggles.by_scene')}]"
    label = f"`{info.name}`{badge}"
    help_text = t("toggles.help", correct=info.correct, wrong=_wrong(info))
    if info.in_the_wild:
        wild = t_or(f"mechanism.{info.name}.wild", info.in_the_wild)
        help_text += "\n\n" + t("toggles.wild", wild=wild.replace("#", "\\#"))
    value = _widget(info, label, default, help_text)
    st.caption(t_or(f"mechanism.{info.name}.protects", info.protects))
    if changed:
        st.button(
            t("toggles.reset_one", name=info.name), key=f"reset-{info.name}", type="tertiary",
            on_click=reset_toggles, args=(info.name,),
        )  # fmt: skip
    return value


def _wrong(info: Info) -> str:
    return t_or(f"mechanism.{info.name}.wrong", in_words(info.seen_when_wrong))


def _widget(info: Info, label: str, default: str, help_text: str) -> str:
    if info.is_number:
        number = st.number_input(
            label, 1, MOST, int(default), 1, key=info.name, bind=bound_number(info.name),
            help=help_text,
        )  # fmt: skip
        return str(number)
    if sum(map(len, info.values)) <= SHORT_VALUES:
        chosen = st.segmented_control(
            label, info.values, default=default, required=True, key=info.name, bind=BOUND,
            help=help_text,
        )  # fmt: skip
        return chosen or default
    return st.selectbox(
        label, info.values, index=info.values.index(default), key=info.name, bind=BOUND,
        help=help_text,
    )  # fmt: skip


def _advanced(choice: Choice) -> Choice:
    """Size of the run, randomness, and whether tokens are computed."""

    def whole(key: str, low: int, high: int, default: int | None = None) -> int | None:
        return st.number_input(
            t(f"advanced.{key}"), low, high, default, 1, key=key, bind=bound_number(key),
            help=t(f"advanced.{key}_help"), placeholder=t("advanced.as_workload"),
        )  # fmt: skip

    with st.expander(t("advanced.title"), key="advanced"):
        batch = whole("batch", 1, MOST_BATCH)
        steps = whole("steps", 1, MOST_STEPS)
        requests = whole("requests", 1, MOST_REQUESTS)
        seed = whole("seed", 0, MOST_SEED, choice.scene.seed)
        jitter = st.number_input(
            t("advanced.jitter"), 0.0, MOST_JITTER, 0.0, 1.0, key="jitter", bind=BOUND,
            format="%.1f", help=t("advanced.jitter_help"),
        )  # fmt: skip
        timing = whole("timing", 0, MOST_TIMING, 0)
        compute = st.segmented_control(
            t("advanced.compute"), ("on", "off"), default="on", required=True, key="compute",
            bind=BOUND, help=t("advanced.compute_help"),
        )  # fmt: skip
    return Choice(
        choice.mode, choice.changes, choice.cost, choice.workload, batch, steps, requests,
        seed, jitter, compute != "off", timing or 0,
    )  # fmt: skip
