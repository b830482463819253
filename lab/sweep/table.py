"""What the Sweep page makes of a table: what varies in it, what was measured, and the way from a
row to its run.

Plain functions on data frames; no widget is drawn here.
"""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import numpy as np
import pandas as pd

from engine.config import ConfigError
from engine.device.cost import CostError
from engine.mechanisms.table import MechanismError
from engine.modes.table import MODES
from engine.sweep.row import ASKED, ERROR, IDLE, TOGGLES
from engine.workloads.presets import WORKLOADS
from engine.workloads.workload import WorkloadError
from lab.catalogue import t
from lab.picture.hover import cause_text, edge_text
from lab.sentences import in_language
from lab.timeline.address import refused
from lab.timeline.state import Choice, mode_toggles

SAMPLE = Path(__file__).resolve().parents[1] / "samples" / "sweep.parquet"
MADE_BY = (
    "python -m engine sweep --workload chat --steps 24 --seeds 0:3 --grid depth=1,2 "
    "--grid wait_h2d=on,off --grid cost=C2-G27-F4.8-in1,C8-G27-F4.8-in1,C16-G27-F4.8-in1,"
    "C32-G27-F4.8-in1 -o sweep.parquet"
)
"""The command that has made the sample."""

CONFIGURATION = (*ASKED, *TOGGLES)

MEASURES = (
    "gpu_active", "gpu_idle_ms", "wall_ms", "step_ms", "wrong_tokens", "hazards", "invariants",
    "throughput_tokens_per_s", "ttft_median_ms", "ttft_p99_ms", "inter_token_median_ms",
    "inter_token_p99_ms", "queue_peak_requests", "kv_peak_blocks", "wasted_rows",
)  # fmt: skip
"""Figures that can be drawn, beside idle time by cause."""

FEW = 12
"""So many values tell rows apart by colour or place; more would be a rainbow."""


def varying(table: pd.DataFrame) -> list[str]:
    """The columns of the configuration with more than one value, the most varied first."""
    counts = {name: table[name].nunique(dropna=False) for name in CONFIGURATION}
    return sorted((name for name, n in counts.items() if n > 1), key=lambda name: -counts[name])


def in_order(table: pd.DataFrame, names: list[str]) -> pd.DataFrame:
    """The rows by these columns, the first leading: a sweep writes them as they get done."""
    return table.iloc[np.lexsort([_ranks(table[name]) for name in reversed(names)])]


def _ranks(values: pd.Series) -> list[int]:
    """The place of each value among all; of none at all, the first."""
    codes, found = pd.factorize(values)
    ordered = sorted(range(len(found)), key=lambda code: _as_read(found[code]))
    places = {code: place for place, code in enumerate(ordered)}
    return [places.get(code, -1) for code in codes.tolist()]


def _as_read(value: object) -> list[float | str]:
    """A value as it is sorted: C8 stands before C16."""
    parts = re.split(r"(\d+(?:\.\d+)?)", str(value))
    return [float(part) if number % 2 else part for number, part in enumerate(parts)]


def measures(table: pd.DataFrame) -> list[str]:
    """The figures that the table has."""
    names = [str(name) for name in table.columns]
    causes = sorted(name for name in names if name.startswith(IDLE) and table[name].any())
    return [name for name in MEASURES if table[name].notna().any()] + causes


def measure_name(measure: str) -> str:
    """A figure with its unit, in words."""
    if measure.startswith(IDLE):
        return t("sweep.idle", cause=cause_text(measure.removeprefix(IDLE)))
    return t(f"sweep.of_{measure}")


def values_of(table: pd.DataFrame, measure: str) -> pd.Series:
    """A figure as it is drawn: shares in percent."""
    values = table[measure].astype("float64")
    return 100 * values if measure == "gpu_active" else values


def as_text(value: object) -> str:
    """A value of the configuration as it is written."""
    if value is None or value is pd.NA or value != value:
        return "–"
    if isinstance(value, bool):
        return t("sweep.yes" if value else "sweep.no")
    return str(value)


def query_of(row: Mapping[Any, Any]) -> dict[str, str] | None:
    """The Timeline page's URL parameters for a row's run; None where that page cannot show it:
    a run of another device or model, or of a cost model or workload from a file."""
    if row[ERROR] == row[ERROR] and row[ERROR] is not None or row["mode"] not in MODES:
        return None
    if (row["device"], row["model"], row["workload"] in WORKLOADS) != ("virtual", "trained", True):
        return None
    if pd.isna(row["seed"]) or pd.isna(row["compute"]):
        return None
    scene = mode_toggles(MODES[row["mode"]])
    changes = {name: str(row[name]) for name in TOGGLES if str(row[name]) != scene[name]}
    own_batch = WORKLOADS[row["workload"]].batch
    batch, steps, requests = (
        None if pd.isna(row[name]) else int(row[name]) for name in ("batch", "steps", "requests")
    )
    choice = Choice(
        mode=row["mode"], changes=changes, cost=row["cost"], workload=row["workload"],
        batch=None if batch == own_batch else batch, steps=steps, requests=requests,
        seed=int(row["seed"]), jitter=float(row["jitter"]), compute=bool(row["compute"]),
    )  # fmt: skip
    try:
        query = choice.query()
        choice.config()
    except (CostError, WorkloadError, MechanismError, ConfigError):
        return None
    return None if refused(query) else query


def shown_rows(table: pd.DataFrame, names: list[str], measure: str) -> pd.DataFrame:
    """The table as the page shows it: a link to each run, what varies, what was measured."""
    rows = table.to_dict("records")
    queries = [query_of(row) for row in rows]
    links = [None if query is None else f"timeline?{urlencode(query)}" for query in queries]
    shown = pd.DataFrame({t("sweep.run"): links}, index=table.index)
    for name in names:
        shown[name] = table[name]
    for name in dict.fromkeys([measure, "gpu_active", "wall_ms", "wrong_tokens", "hazards"]):
        shown[measure_name(name)] = values_of(table, name)
    shown[t("sweep.races")] = table["hazards_told"].map(as_text).map(edge_text)
    if table[ERROR].notna().any():
        shown[t("sweep.error")] = table[ERROR].map(in_language, na_action="ignore")
    return shown
