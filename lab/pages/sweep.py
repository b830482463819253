"""The Sweep page: a table of many runs as a picture, and the way from each row to its run."""

import pandas as pd
import streamlit as st
from streamlit.elements.lib.column_types import ColumnConfig

from engine.sweep.reading import read_table
from lab.catalogue import t
from lab.escape import for_markdown, one_line
from lab.guard import one_sentence
from lab.in_url import put_into_url, take_from_url
from lab.picture.view import show_figure
from lab.sweep.picture import Axes, picture
from lab.sweep.table import (
    FEW,
    MADE_BY,
    SAMPLE,
    in_order,
    measure_name,
    measures,
    shown_rows,
    values_of,
    varying,
)
from lab.units import rounded

NOTHING = "none"
X, Y, COLOUR, FACET = "x", "y", "colour", "facet"


def page() -> None:
    """What is open, what is drawn of it, the picture, the table."""
    st.markdown(f"# {t('sweep.title')}")
    st.caption(t("sweep.lead"))
    with one_sentence():
        table = _opened()
        names = varying(table) or ["mode", "seed"]
        axes = _chosen(table, names)
        _told(table)
        if table["wall_ms"].notna().any():
            values = values_of(table, axes.y)
            alt = t(
                "sweep.alt", y=measure_name(axes.y), x=axes.x, rows=f"{values.count():,}",
                least=rounded(values.min(), 4), most=rounded(values.max(), 4),
            )  # fmt: skip
            show_figure(picture(table, axes), "sweep-picture", alt)
            st.caption(t("sweep.drawn"))
        _rows(table, names, axes.y)


def _opened() -> pd.DataFrame:
    """The uploaded table, or the sample."""
    file = st.file_uploader(t("sweep.upload"), type="parquet", key="sweep-file")
    if file is not None:
        return read_table(file.getvalue(), one_line(file.name))
    st.caption(t("sweep.sample"))
    st.code(MADE_BY, language="bash", wrap_lines=True)
    return read_table(SAMPLE, SAMPLE.name)


def _chosen(table: pd.DataFrame, names: list[str]) -> Axes:
    """Four fields, none with a column that another has; what is chosen stands in the URL."""
    figures = measures(table) or ["gpu_active"]
    row = st.columns(4)
    x = _field(row[0], X, names, names[0])
    y = _field(row[1], Y, figures, figures[0])
    few = [name for name in names if name != x and table[name].nunique(dropna=False) <= FEW]
    colour = _parted(row[2], COLOUR, few)
    facet = _parted(row[3], FACET, [name for name in few if name != colour])
    return Axes(x, y, colour, facet)


def _parted(place: st.delta_generator.DeltaGenerator, key: str, names: list[str]) -> str:
    """What tells runs apart beside x: a column, "" for none; seeds are repetitions."""
    default = next((name for name in names if name != "seed"), NOTHING)
    return _field(place, key, [NOTHING, *names], default).replace(NOTHING, "")


def _field(
    place: st.delta_generator.DeltaGenerator, key: str, options: list[str], default: str
) -> str:
    take_from_url(key, options, default)

    def shown(option: str) -> str:
        if option == NOTHING:
            return t("sweep.nothing")
        return measure_name(option) if key == Y else option

    chosen = place.selectbox(t(f"sweep.{key}"), options, key=key, format_func=shown)
    put_into_url(key, default)
    return chosen


def _told(table: pd.DataFrame) -> None:
    errors = int(table["error"].notna().sum())
    told = t("sweep.told_errors" if errors else "sweep.told", rows=f"{len(table):,}",
             errors=f"{errors:,}")  # fmt: skip
    st.caption(for_markdown(told))


def _rows(table: pd.DataFrame, names: list[str], measure: str) -> None:
    shown = shown_rows(in_order(table, names), names, measure)
    link = st.column_config.LinkColumn(
        t("sweep.run"), display_text=t("sweep.open"), help=t("sweep.open_help")
    )
    formats: dict[str, ColumnConfig | str | None] = {t("sweep.run"): link}
    formats |= {
        name: st.column_config.NumberColumn(format="%.1f" if "%" in name else "%,.3f")
        for name in map(str, shown)
        if pd.api.types.is_float_dtype(shown[name]) and (shown[name] % 1).any()
    }
    st.dataframe(shown, hide_index=True, column_config=formats, placeholder="–")


page()
