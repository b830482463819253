"""A run as one row of a sweep's table: everything that determines it, and what came of it.

The columns are the same in every table but for those of idle time, one a cause that occurred:
they begin with IDLE. Times in ms; `gpu_active` between 0 and 1; counts of hazards, broken
invariants and errors, with their sentences beside them. Tokens of a run without compute are not
compared (see `engine.results.report`).
"""

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from engine.config import RunConfig
from engine.configuration import configure
from engine.device.worker import DeviceError
from engine.execution import execute
from engine.mechanisms.table import TABLE, Mechanisms, encode
from engine.modes.table import MODES
from engine.results.report import run_report

IDLE = "idle_ms "
"""What the name of a column of idle time begins with; the cause follows."""

KEY, ERROR = "run", "error"

TOGGLES = {info.name: int if info.is_number else str for info in TABLE}

ASKED: dict[str, type] = {
    "mode": str, "cost": str, "workload": str, "batch": int, "steps": int, "requests": int,
    "seed": int, "jitter": float, "compute": bool, "device": str, "pace": bool, "widen_ms": int,
    "model": str,
}  # fmt: skip
"""The configuration beside the toggles, by the arguments of `configure`."""

PLAIN: dict[str, type] = {
    "wall_ms": float, "gpu_active": float, "gpu_idle_ms": float, "step_ms": float,
    "measured_gpu_ms": float, "wrong_tokens": int, "total_tokens": int, "first_wrong_step": int,
    "wasted_rows": int,
}  # fmt: skip
"""What is taken from the report as it is."""

LISTED = ("hazards", "invariants", "errors")
"""What the report lists: counted, and told."""

SERVICE: dict[str, type] = {
    "requests_done": int, "throughput_tokens_per_s": float, "ttft_median_ms": float,
    "ttft_p99_ms": float, "inter_token_median_ms": float, "inter_token_p99_ms": float,
    "end_to_end_median_ms": float, "end_to_end_p99_ms": float, "queue_peak_requests": int,
    "inflight_peak_tokens": int, "kv_peak_blocks": int, "h2d_bytes": int, "d2h_bytes": int,
    "padding_rows": int, "idle_rows": int,
}  # fmt: skip

COLUMNS: dict[str, type] = {
    KEY: str, ERROR: str, **ASKED, **TOGGLES, "run_steps": int, **PLAIN,
    **dict.fromkeys(LISTED, int), **{f"{name}_told": str for name in LISTED},
    **SERVICE, "device_bytes": int, "host_bytes": int,
}  # fmt: skip
"""Every column but those of idle time, and what it holds; each may be empty."""

Row = dict[str, Any]


@dataclass(frozen=True)
class Point:
    """One combination of a grid: its key, what it says, and its run; `config` is None where that
    cannot be, and `error` says why."""

    key: str
    asked: Row
    config: RunConfig | None
    error: str = ""


def point_of(arguments: Mapping[str, Any]) -> Point:
    """What these arguments of `configure` ask for. The same run has the same key."""
    try:
        config = configure(**arguments)
    except ValueError as error:
        text = json.dumps(arguments, sort_keys=True, default=str)
        return Point(_digest(text), _as_written(arguments), None, str(error))
    return Point(_digest(config.key()), _as_configured(config), config)


def row_of(point: Point) -> Row:
    """Run a point. What cannot be run becomes a row with its error."""
    if point.config is None:
        return _empty(point, point.error)
    try:
        report = run_report(execute(point.config))
    except (ValueError, DeviceError) as error:
        return _empty(point, str(error))
    return {KEY: point.key, ERROR: None, **point.asked, **figures(report)}


def figures(report: Mapping[str, Any]) -> Row:
    """The columns that say what came of a run, from its report."""
    row: Row = {"run_steps": report["steps"]}
    row |= {name: report[name] for name in PLAIN}
    row |= {name: len(report[name]) for name in LISTED}
    row |= {f"{name}_told": "; ".join(map(_told, report[name])) or None for name in LISTED}
    row |= {name: report["service"][name] for name in SERVICE}
    row |= {name: report["peak"][name] for name in ("device_bytes", "host_bytes")}
    return row | {IDLE + cause: ms for cause, ms in report["gaps"].items()}


def _told(item: Mapping[str, Any] | str) -> str:
    if isinstance(item, str):
        return item
    return f"{item['kind']} on {item['resource']}, missing {item['missing_edge']}"


def _empty(point: Point, error: str) -> Row:
    return {KEY: point.key, ERROR: error, **point.asked}


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _as_configured(config: RunConfig) -> Row:
    """Every column of the configuration; `batch` is the workload's where none was asked for."""
    return {
        "mode": config.mode, "cost": config.cost.name, "workload": config.workload.name,
        "batch": config.workload.batch, "steps": config.steps, "requests": config.requests,
        "seed": config.seed, "jitter": config.jitter_percent, "compute": config.compute,
        "device": config.device, "pace": config.pace, "widen_ms": config.widen_ms,
        "model": config.model, **_values(config.mechanisms),
    }  # fmt: skip


def _as_written(arguments: Mapping[str, Any]) -> Row:
    """What of a configuration that cannot be is known; numbers that are none are left empty."""
    scene = MODES.get(arguments["mode"])
    toggles = {**(scene.toggles if scene else {}), **arguments["set"]}
    numbers = {name for name, kind in TOGGLES.items() if kind is int}
    known = {
        name: int(value) if name in numbers else value
        for name, value in toggles.items()
        if name in TOGGLES and (name not in numbers or _is_number(value))
    }
    asked = {
        name: arguments[name] if kind is not int or _is_number(str(arguments[name])) else None
        for name, kind in ASKED.items()
    }
    return _values(Mechanisms()) | asked | known


def _is_number(text: str) -> bool:
    """Whether it is a whole number that a table can hold."""
    return re.fullmatch(r"-?\d{1,18}", text) is not None


def _values(mechanisms: Mechanisms) -> Row:
    texts = {name: encode(getattr(mechanisms, name)) for name in TOGGLES}
    return {name: kind(texts[name]) for name, kind in TOGGLES.items()}
