"""What asynchronous batching would give a trace, and the way to try it on its own numbers."""

import streamlit as st

from lab.catalogue import t, t_or
from lab.escape import for_markdown
from lab.inspect.inspection import Inspection
from lab.inspect.scene_links import timeline_query
from lab.sentences import in_language
from lab.units import percent, short_ms
from traces.whatif import EVERY_ASSUMPTION


def outlook_tab(inspection: Inspection) -> None:
    """Recorded, predicted, bound; what it takes for granted; the link to the Timeline page."""
    prediction = inspection.prediction
    if prediction.cannot_tell:
        reason = for_markdown(in_language(prediction.cannot_tell), 400)
        st.info(t("outlook.cannot_tell", reason=reason))
        return
    row = st.container(horizontal=True, gap="medium")
    saved = t("outlook.saved", share=percent(prediction.saving))
    times = (
        ("recorded", prediction.recorded_ns, None),
        ("sync", prediction.sync_ns, None),
        ("async", prediction.async_ns, saved),
        ("bound", prediction.bound_ns, None),
    )
    for name, ns, note in times:
        row.metric(
            t(f"outlook.{name}"), short_ms(ns), note, delta_color="off", delta_arrow="off",
            help=t(f"outlook.{name}_help"),
        )  # fmt: skip
    row.metric(
        t("outlook.left"), percent(prediction.not_hidden), help=t("outlook.left_help"),
    )  # fmt: skip
    _take_along(inspection)
    st.markdown(f"**{t('outlook.assumed')}**")
    lines = (
        t_or(f"assumed.{EVERY_ASSUMPTION.index(line) + 1}", line) for line in prediction.assumptions
    )
    st.markdown("\n".join(f"- {for_markdown(line)}" for line in lines))


def _take_along(inspection: Inspection) -> None:
    """What a mean step takes, and the Timeline page that runs on it."""
    times = inspection.step_times
    if times is None:
        st.caption(t("outlook.no_times"))
        return
    st.markdown(
        t(
            "outlook.times", prepare=f"{times.prepare:g}", compute=f"{times.compute:g}",
            finish=f"{times.finish:g}", into=f"{times.copy_in:g}", out=f"{times.copy_out:g}",
        )
    )  # fmt: skip
    row = st.container(horizontal=True, gap="medium")
    for scene in ("sync", "async"):
        row.page_link(
            "lab/pages/timeline.py", label=t(f"outlook.open_{scene}"), help=t("outlook.open_help"),
            query_params=timeline_query(scene, str(times)), width="content",
        )  # fmt: skip
    st.caption(t("outlook.cost", cost=for_markdown(str(times))))
