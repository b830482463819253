"""A question that is answered with a click in a timeline, or by choosing from the list beside it.

Every arrow (or every operation, where an arrow is missing) has a number, in the picture and in the
list: the list says the same for the keyboard, for screen readers and on paper.
"""

from collections.abc import Mapping
from typing import Any

import streamlit as st

from engine.oplog import Op
from lab.catalogue import language, t
from lab.course.program import panel_of_program, whole_of_program
from lab.course.state import done_of, locked, note
from lab.course.text import ready
from lab.escape import for_markdown
from lab.picture.accesses import lane_of
from lab.picture.arrows import Place
from lab.picture.bars import LABELLED_PX
from lab.picture.figures import CONFIG, ReadyFigure
from lab.picture.figures import INK as PAGE_INK
from lab.picture.gantt import LANE_PX, Gantt, draw, place
from lab.picture.hover import edge_text
from lab.picture.legend import EVENT_ARROW
from lab.picture.palette import INK, SLOT_HUES, WHITE
from lab.picture.shown import told as told_of
from lab.picture.view import beside
from lessons.checks import said
from lessons.edges import Edge, choices_of, edges_of, operations_of
from lessons.lesson import Lesson, Question
from lessons.programs import ran
from lessons.questions import check_answer
from lessons.texts import HINT_COUNT

BADGE_PX, CHOSEN_PX = 19, 25
"""How large the numbers are; 24 px are wanted of what a finger is to hit."""

SPACE = 0.75
"""Space below a lane, in lanes: the numbers stand in it and not on the names in the bars."""

PARTS = (0.5, 0.3, 0.7, 0.15, 0.85, 0.0, 1.0)
"""Where on an arrow its number may stand, the best first."""

BADGES = "badges"
"""The name of the trace that can be clicked."""


def ask_edge(lesson: Lesson, question: Question) -> None:
    """The question, its timeline and list, hints in steps, and the verdict on what was chosen."""
    st.markdown(f"**{ready(lesson, question.asked(language()))}**")
    names, key = choices_of(lesson, question), f"{lesson.id}-{question.id}"
    st.session_state.setdefault(key, _known(lesson, question, names))
    chart = f"{key}-chart"

    def clicked() -> None:
        """Callback: what was clicked in the picture is chosen in the list."""
        points = st.session_state[chart].selection.points
        if points:
            st.session_state[key] = names[points[0]["customdata"]]

    chosen = st.session_state[key]
    gantt = _picture(lesson, question, names.index(chosen) if chosen in names else None)
    st.plotly_chart(
        ReadyFigure(gantt.figure), key=chart, config=CONFIG, on_select=clicked,
        alt=f"{t('edge.alt')} {told_of(gantt.panels, gantt.window)}", selection_mode=("points",),
    )  # fmt: skip
    beside(gantt, chart, True, EVENT_ARROW)
    numbers = {name: number for number, name in enumerate(names, start=1)}
    st.selectbox(
        t("edge.operation" if question.fault == "missing" else "edge.edge"), names, index=None,
        key=key, placeholder=t("edge.choose"), width=420,
        format_func=lambda name: f"{numbers[name]} · {edge_text(name)}",
    )  # fmt: skip
    _answer(lesson, question, key)


def _known(lesson: Lesson, question: Question, names: tuple[str, ...]) -> str | None:
    """What was answered before."""
    answer = done_of(lesson.id).answers.get(question.id)
    return answer if isinstance(answer, str) and answer in names else None


def _answer(lesson: Lesson, question: Question, key: str) -> None:
    """Buttons to check and for a hint, and what there is to be said."""
    done = done_of(lesson.id)
    seen = done.asked.get(question.id, 0)
    row = st.container(horizontal=True, vertical_alignment="center", gap="medium")
    row.button(
        t("edge.check"), key=f"{key}-check", type="primary", disabled=not st.session_state[key],
        on_click=_keep, args=(lesson.id, question.id, key),
    )  # fmt: skip
    row.button(
        t("lessons.next_hint", seen=seen, most=HINT_COUNT), key=f"{key}-hint",
        disabled=seen >= HINT_COUNT, on_click=_one_more, args=(lesson.id, question.id, seen),
    )  # fmt: skip
    for number, hint in enumerate(question.hints[:seen], start=1):
        st.info(f"{number}/{HINT_COUNT} {ready(lesson, hint.said(language()))}")
    given = done.answers.get(question.id)
    if given is None:
        return
    if _may_be_right(lesson, question, given) and lesson.exercise == "code":
        st.markdown(t("edge.in_the_file"))
        st.code(f'{question.id} = "{given}"', language="python")


def _may_be_right(lesson: Lesson, question: Question, given: float | str) -> bool:
    """The verdict on an answer, where it may be told; False for one that is told to be wrong."""
    if locked():
        st.success(t("lessons.handed_in"))
        return True
    check = check_answer(lesson, question, given)
    if check.passed:
        st.success("✓ " + ready(lesson, question.why.said(language())))
    else:
        st.warning("✗ " + for_markdown(edge_text(said(lesson, check, language()))))
    return check.passed


def _keep(lesson: str, question: str, key: str) -> None:
    """Callback: the answer is kept."""
    note(lesson, answers={**done_of(lesson).answers, question: st.session_state[key]})


def _one_more(lesson: str, question: str, seen: int) -> None:
    """Callback: one more hint of this question."""
    note(lesson, asked={**done_of(lesson).asked, question: seen + 1})


def _picture(lesson: Lesson, question: Question, chosen: int | None) -> Gantt:
    """The run's timeline with its waits as arrows and a number at everything that can be chosen."""
    run = ran(lesson.folder, lesson.scene_named(question.run))
    panel = panel_of_program(run, t("edge.title"))
    window = whole_of_program(run)
    gantt = draw([panel], window, SPACE)
    places = {row.lane.key: row for row in place([panel], SPACE)[0]}
    edges = edges_of(run.device.log)
    ways = [_way(edge, places) for edge in edges]
    if question.fault == "missing":
        marks = [_over(op, places) for op in operations_of(run.device.log)]
    else:
        marks = _on_ways(ways, (window[1] - window[0]) / 1e6 * BADGE_PX / LABELLED_PX)
    gantt.figure["data"] += [_arrow(way, PAGE_INK, 1.5) for way in ways]
    if chosen is not None and question.fault != "missing":
        gantt.figure["data"].append(_arrow(ways[chosen], SLOT_HUES[0], 4))
    gantt.figure["data"].append(_badges(marks, chosen))
    gantt.figure["layout"] |= {"dragmode": False, "clickmode": "event+select"}
    gantt.figure["layout"]["xaxis"]["fixedrange"] = True
    return gantt


Point = tuple[float, float]
"""ms and lanes."""


def _way(edge: Edge, places: Mapping[str, Place]) -> list[Point]:
    """From the end of what was waited for to the beginning of what waited: straight through the
    lanes between them, then aslant through the space at the lane of what waited."""
    one, other = places[lane_of(edge.after)], places[lane_of(edge.before)]
    ended, began = edge.after.end_ns / 1e6, edge.before.start_ns / 1e6
    if other.top > one.top:
        ys = one.bottom, other.top - SPACE, other.top
    else:
        ys = one.top, other.bottom + SPACE, other.bottom
    return [(ended, ys[0]), (ended, ys[1]), (began, ys[2])]


def _on_ways(ways: list[list[Point]], apart_ms: float) -> list[Point]:
    """A place for each arrow's number, on its last piece; the middle, or where the numbers of
    shorter arrows leave room."""
    found: dict[int, Point] = {}
    for number in sorted(range(len(ways)), key=lambda n: abs(ways[n][2][0] - ways[n][1][0])):
        (x0, y0), (x1, y1) = ways[number][1:]
        middle = (y0 + y1) / 2
        taken = [x for x, y in found.values() if abs(y - middle) < SPACE]
        xs = [x0 + part * (x1 - x0) for part in PARTS]
        free = (x for x in xs if all(abs(x - other) >= apart_ms for other in taken))
        x = next(free, xs[0])
        found[number] = x, y0 + (y1 - y0) * ((x - x0) / (x1 - x0) if x1 != x0 else 0.5)
    return [found[number] for number in range(len(ways))]


def _over(op: Op, places: Mapping[str, Place]) -> Point:
    """On top of an operation's bar, whose name stays free."""
    return (op.start_ns + op.end_ns) / 2e6, places[lane_of(op)].top - BADGE_PX / 2 / LANE_PX


def _arrow(way: list[Point], color: str, width: float) -> dict[str, Any]:
    """An arrow that goes behind the bars on its way, so that their names can be read."""
    return {
        "type": "scatter", "mode": "lines+markers", "zorder": -1,
        "x": [x for x, _ in way], "y": [y for _, y in way],
        "hoverinfo": "skip", "line": {"color": color, "width": width},
        "marker": {
            "symbol": "arrow", "angleref": "previous", "size": [0, 0, 10], "color": color,
        },
    }  # fmt: skip


def _badges(marks: list[Point], chosen: int | None) -> dict[str, Any]:
    """Numbers on discs. Plotly must not fade those that are not selected."""
    places = range(len(marks))
    return {
        "type": "scatter", "name": BADGES, "mode": "markers+text",
        "x": [x for x, _ in marks], "y": [y for _, y in marks], "customdata": list(places),
        "text": [str(n + 1) for n in places], "hoverinfo": "text",
        "textfont": {"color": [WHITE if n == chosen else INK for n in places], "size": 11},
        "marker": {
            "symbol": "circle", "opacity": 1,
            "size": [CHOSEN_PX if n == chosen else BADGE_PX for n in places],
            "color": [SLOT_HUES[0] if n == chosen else WHITE for n in places],
            "line": {"color": INK, "width": 1.5},
        },
        "selected": {"marker": {"opacity": 1}}, "unselected": {"marker": {"opacity": 1}},
    }  # fmt: skip
