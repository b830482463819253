"""The service figures of runs as two small tables: waiting times, and what they cost.

Plain data frames, one row a run; the units stand in the heads.
"""

from collections.abc import Mapping, Sequence
from typing import Any

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


def service_formats(table: pd.DataFrame) -> dict[str, Any]:
    """How the numbers of each column are written: two decimals for times, none for counts."""
    whole = {t(f"service.{name}") for name in CAPACITY}
    return {name: "{:,.0f}" if name in whole else "{:,.2f}" for name in table.columns[1:]}
