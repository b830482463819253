"""How reports name several devices: what shares of all are shares of, and what each one has."""

from collections.abc import Sequence
from typing import Any

from traces.units import percent

MOST_NAMED = 4


def together(count: int) -> str:
    """All devices of a trace that has several."""
    return "both GPUs together" if count == 2 else f"all {count} GPUs together"


def whole(count: int) -> str:
    """What shares of all devices are shares of."""
    return "the run" if count < 2 else f"the time of {together(count)}"


def each(devices: Sequence[dict[str, Any]], count: int) -> str:
    """What each of a trace's `count` devices has of a finding (`findings_json`) in its own time,
    behind a space; nothing where there is but one."""
    if count < 2:
        return ""
    told = [f"GPU {one['id']} {percent(one['share'])}" for one in devices[:MOST_NAMED]]
    if len(devices) > MOST_NAMED:
        told.append(f"{len(devices) - MOST_NAMED} more")
    return f" ({', '.join(told)})"
