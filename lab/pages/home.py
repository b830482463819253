"""The Home page: the gap, and how it closes. Drawn from a run of timing alone, kept in memory."""

import streamlit as st

from lab.catalogue import t
from lab.closing import CPU_MS, GPU_MS, LEAST_MS, MOST_MS, STEPS, both_configs, both_figures
from lab.guard import one_sentence
from lab.in_url import BOUND, say_in_vain
from lab.picture.hover import cause_text
from lab.picture.view import show_timeline
from lab.runs import study_of
from lab.study import Study
from lab.timeline.address import refused
from lab.units import percent, points

BREAK_MODE = "no-wait-compute"
CAUSES = 3


def page() -> None:
    """Title, picture with its numbers, sliders, the way on."""
    st.markdown(f"# {t('home.title')}")
    st.caption(t("home.lead"))
    asked = st.query_params
    say_in_vain(refused({name: asked[name] for name in ("cpu", "gpu") if name in asked}))
    picture = st.container()
    cpu_ms, gpu_ms = _sliders()
    with one_sentence():
        sync, overlapped = (study_of(config) for config in both_configs(cpu_ms, gpu_ms))
        with picture:
            _picture(sync, overlapped)
        bound = max(cpu_ms, gpu_ms)
        key = "home.bound_cpu" if cpu_ms > gpu_ms else "home.bound_gpu"
        st.markdown(t(key, bound=f"{bound:.1f}", cpu=f"{cpu_ms:.1f}"))
    _ways_on()
    st.markdown(f":small[{t('home.reference')}]")


def _sliders() -> tuple[float, float]:
    left, right = st.columns(2)
    cpu_ms = left.slider(
        t("home.cpu"), LEAST_MS, MOST_MS, CPU_MS, 0.1, key="cpu", bind=BOUND,
        help=t("home.cpu_help"), format="%.1f",
    )  # fmt: skip
    gpu_ms = right.slider(
        t("home.gpu"), LEAST_MS, MOST_MS, GPU_MS, 0.1, key="gpu", bind=BOUND,
        help=t("home.gpu_help"), format="%.1f",
    )  # fmt: skip
    return cpu_ms, gpu_ms


def _picture(sync: Study, overlapped: Study) -> None:
    """The two runs, and beside each of them its two numbers."""
    drawing, numbers = st.columns([5, 1.5])
    before, after = sync.numbers, overlapped.numbers
    alt = t("home.alt", sync=percent(before.gpu_active), async_=percent(after.gpu_active))
    with drawing:
        show_timeline(both_figures(sync, overlapped), "closing", alt, slots=True)
        st.caption(t("home.causes", causes=_causes(sync), steps=STEPS))
    with numbers:
        _numbers("home.sync", before.gpu_active, before.step_ms)
        change = 100 * (after.step_ms / before.step_ms - 1)
        _numbers(
            "home.async", after.gpu_active, after.step_ms,
            t("home.active_delta", points=points(after.gpu_active, before.gpu_active)),
            t("home.step_delta", percent=f"{change:+.1f}"),
        )  # fmt: skip


def _numbers(
    title: str, active: float, step_ms: float, more: str | None = None, faster: str | None = None
) -> None:
    st.markdown(f"**{t(title)}**")
    row = st.container(horizontal=True, gap="medium")
    row.metric(
        t("home.active"), percent(active), more, delta_color="off", delta_arrow="off",
        width="content",
    )  # fmt: skip
    row.metric(
        t("home.step"), t("home.ms", ms=f"{step_ms:.1f}"), faster, delta_color="off",
        delta_arrow="off", width="content",
    )  # fmt: skip


def _causes(sync: Study) -> str:
    """What the GPU waits for when the two take turns, as shares of its idle time."""
    gaps = sync.numbers.gaps
    return t("list.comma").join(
        t("verdict.cause", cause=cause_text(cause), share=percent(ms / sum(gaps.values())))
        for cause, ms in list(gaps.items())[:CAUSES]
    )


def _ways_on() -> None:
    ways = (
        ("break", "lab/pages/timeline.py", {"mode": BREAK_MODE}),
        ("learn", "lab/pages/lessons.py", None),
        ("explore", "lab/pages/timeline.py", None),
        ("inspect", "lab/pages/inspect.py", None),
    )
    for column, (name, target, query) in zip(st.columns(len(ways)), ways, strict=True):
        with column.container(border=True):
            st.page_link(target, label=f"**{t(f'home.{name}')} →**", query_params=query)
            st.caption(t(f"home.{name}_about"))


page()
