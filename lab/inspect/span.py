"""Finding spans by name, and everything about the one that is selected: its flows above all."""

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from lab.catalogue import t
from lab.escape import for_markdown, one_line
from lab.in_url import BOUND
from lab.inspect.inspection import Inspection
from lab.inspect.places import let_go, on_row, show_span
from lab.picture.hover import kind_text
from lab.picture.lanes import track_name
from lab.units import exact_ms, short_ms

MOST_FOUND = 200
MOST_FLOWS = 6
MOST_ARGS = 12


def search_box(place: DeltaGenerator) -> str:
    """A box for a part of a name; returns what is in it."""
    return place.text_input(
        t("find.label"), key="find", bind=BOUND, placeholder=t("find.placeholder"), width=260,
        label_visibility="collapsed",
    )  # fmt: skip


def found_table(inspection: Inspection, wanted: str) -> None:
    """The spans that bear a name with this in it, the longest first."""
    if not wanted:
        return
    found = found_spans(inspection, wanted)
    total = short_ms(int(found["dur_ns"].sum()))
    if found.empty:
        st.caption(t("find.none", wanted=for_markdown(wanted, 40)))
        return
    st.caption(t("find.found", count=f"{len(found):,}", total=total, most=MOST_FOUND))
    longest = found.nlargest(MOST_FOUND, "dur_ns")
    table = pd.DataFrame(
        {
            t("span.name"): longest["name"],
            t("span.lane"): [track_name(inspection.trace, track) for track in longest["track"]],
            t("span.start"): longest["ts_ns"] / 1e6,
            t("span.dur"): longest["dur_ns"] / 1e6,
        }
    )
    ms = st.column_config.NumberColumn(format="%,.3f")
    ids = longest.index.tolist()
    st.dataframe(
        table, hide_index=True, placeholder="–",
        column_config={t("span.start"): ms, t("span.dur"): ms},
        key="found", on_select=on_row("found", lambda row: show_span(inspection, ids[row])),
        selection_mode="single-row", height=240,
    )  # fmt: skip


def found_spans(inspection: Inspection, wanted: str) -> pd.DataFrame:
    """The spans whose names hold a text, whatever the case."""
    spans = inspection.trace.spans
    names = {name for name in spans["name"].unique() if wanted.lower() in str(name).lower()}
    return spans[spans["name"].isin(names)]


def span_panel(inspection: Inspection, span: int | None) -> None:
    """What is selected: name, place, times, arguments, and what it is tied to."""
    if span is None:
        return
    row = {name: column[span] for name, column in inspection.trace.spans.items()}
    start, dur = int(row["ts_ns"]), int(row["dur_ns"])
    with st.container(border=True, gap="xsmall", key="selected"):
        head = st.container(horizontal=True, vertical_alignment="center")
        head.markdown(f"**{for_markdown(str(row['name']), 160)}**", width="stretch")
        head.button(t("selected.close"), key="selected-close", on_click=let_go, type="tertiary")
        st.caption(
            for_markdown(
                t(
                    "selected.place", lane=one_line(track_name(inspection.trace, row["track"])),
                    kind=kind_text(str(row["kind"])),
                    start=exact_ms(start), end=exact_ms(start + dur), dur=exact_ms(dur),
                ),
                400,
            )
        )  # fmt: skip
        args = list((row["args"] or {}).items())[:MOST_ARGS]
        if args:
            st.text(one_line("  ".join(f"{key}={value}" for key, value in args), 600))
        _flows(inspection, span)


def _flows(inspection: Inspection, span: int) -> None:
    """Buttons that lead along each flow into the span and out of it."""
    flows = inspection.trace.flows
    spans = inspection.trace.spans
    sides = (("in", "dst", "src"), ("out", "src", "dst"))
    if not ((flows["src"] == span) | (flows["dst"] == span)).any():
        st.caption(t("selected.no_flows"))
        return
    for side, here, there in sides:
        tied = flows[flows[here] == span]
        if tied.empty:
            continue
        row = st.container(horizontal=True, gap="small", vertical_alignment="center")
        row.markdown(t(f"selected.{side}", count=f"{len(tied):,}"), width="content")
        pairs = zip(tied[there].tolist(), tied["kind"].tolist(), strict=True)
        for number, (other, kind) in enumerate(list(pairs)[:MOST_FLOWS]):
            name = for_markdown(str(spans["name"][other]), 40)
            row.button(
                t("selected.flow", kind=kind, name=name), key=f"flow-{side}-{number}",
                on_click=show_span, args=(inspection, other),
            )  # fmt: skip
