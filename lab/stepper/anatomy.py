"""The anatomy of a hazard: two accesses, the edge that is missing, and the run with it added.

Which folds are open, and which edges are added, stands in the URL.
"""

from dataclasses import replace

import streamlit as st

from engine.checker.hazards import Hazard
from engine.oplog import Op
from lab.catalogue import t
from lab.in_url import BOUND
from lab.picture.accesses import pair_window, same_pair
from lab.picture.gantt import Panel, draw
from lab.picture.hover import worded
from lab.picture.view import show_timeline
from lab.runs import repaired
from lab.stepper.cursor import AT
from lab.study import Study

FOLD, ADD = "anatomy-", "add-edge-"
"""How the URL's parameters begin; the hazard's number in the list follows."""


def anatomy_query() -> dict[str, str]:
    """The entries of the URL for what is open and what is added."""
    names = [name for name in map(str, st.session_state) if name.startswith((FOLD, ADD))]
    return {name: "true" for name in names if st.session_state[name]}


def anatomy(run: Study, hazard: Hazard, number: int) -> None:
    """The hazard's picture in a fold of its own, worked out once it is opened."""
    fold = st.expander(t("anatomy.title"), key=f"{FOLD}{number}", on_change="rerun", bind=BOUND)
    if not fold.open:
        return
    with fold:
        log = run.run.device.log.ops
        pair = [log[seq] for seq in hazard.ops]
        st.caption(t("anatomy.legend"))
        _picture(run, pair, f"accesses-{number}", missing=True)
        st.page_link(
            "lab/pages/stepper.py", label=t("anatomy.step"),
            query_params={AT: f"{max(op.start_ns for op in pair) / 1e6:.6f}"},
        )  # fmt: skip
        if st.toggle(t("anatomy.add"), key=f"{ADD}{number}", bind=BOUND):
            st.code(worded(hazard.fix.text), language="python", wrap_lines=True)
            _with_edge(run, hazard, pair, number)


def _with_edge(run: Study, hazard: Hazard, pair: list[Op], number: int) -> None:
    """The same work with the edge added while it runs, and what has become of the hazard."""
    mended = repaired(run.run.config, hazard.fix.edges)
    left = {(h.kind, h.resource, h.missing_edge) for h in mended.run.hazards}
    gone = (hazard.kind, hazard.resource, hazard.missing_edge) not in left
    before, after = run.diff, mended.diff
    tokens = ""
    if before is not None and after is not None:
        tokens = t("anatomy.tokens", before=before.count, after=after.count)
    say = st.success if gone else st.warning
    verdict = t("anatomy.gone" if gone else "anatomy.left")
    say(f"{verdict} {t('anatomy.hazards', before=len(run.run.hazards), after=len(left))} {tokens}")
    _picture(mended, same_pair(pair, mended.run.device.log.ops), f"mended-{number}", missing=False)


def _picture(run: Study, pair: list[Op], key: str, *, missing: bool) -> None:
    panel = Panel("", run.trace, run.gaps, run.lanes, arrows=True)
    panel = replace(panel, pair=tuple(pair), pair_races=missing)
    window = pair_window(pair, run.run.wall_ns)
    names = " · ".join(f"{op.name} {op.step}" for op in pair)
    alt = t("anatomy.alt" if missing else "anatomy.alt_mended", names=names)
    show_timeline(draw([panel], window), key, alt, slots=True)
