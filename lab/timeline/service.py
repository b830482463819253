"""The service figures of runs as two small tables: waiting times, and what they cost.

Plain data frames, one row a run; the units stand in the heads. On the page they are turned: three
runs stand side by side at any width, seven figures do not.
"""

from collections.abc import Mapping, Sequence

import pandas as pd

from engine.results.service import Service
from lab.catalogue import t

WAITING = (
    "ttft_median_ms", "ttft_p99_ms", "inter_token_median_ms", "inter_token_p99_ms",
    "end_to_end_median_ms", "end_to_end_p99_ms", "throughput_tokens_per_s",
)  # fmt: skip
CAPACITY = (
    "queue_peak_requests", "inflight_peak_tokens", "kv_peak_blocks", "h2d_bytes", "d2h_bytes",
    "padding_rows", "idle_rows",
)  # fmt: skip


def waiting_table(services: Mapping[str, Service]) -> pd.DataFrame:
    """How long requests wait, and throughput; one row a run, by its title."""
    return _table(services, WAITING)


def capacity_table(services: Mapping[str, Service]) -> pd.DataFrame:
    """Queue, memory, copies and rows without use; one row a run, by its title."""
    return _table(services, CAPACITY)


def _table(services: Mapping[str, Service], names: Sequence[str]) -> pd.DataFrame:
    columns = {
        t(f"service.{name}"): [getattr(service, name) for service in services.values()]
        for name in names
    }
    return pd.DataFrame({t("service.run"): list(services), **columns})


def by_figure(table: pd.DataFrame) -> pd.DataFrame:
    """Such a table with a row a figure and a column a run, its values as text: two decimals for
    times, none for counts, a dash for what was not measured."""
    whole = {t(f"service.{name}") for name in CAPACITY}
    turned: dict[str, list[str]] = {t("service.figure"): list(table.columns[1:])}
    for _, (run, *values) in table.iterrows():
        turned[run] = [
            "–" if pd.isna(value) else f"{value:,.0f}" if name in whole else f"{value:,.2f}"
            for name, value in zip(table.columns[1:], values, strict=True)
        ]
    return pd.DataFrame(turned)
