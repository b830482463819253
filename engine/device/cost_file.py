"""Cost models as small JSON files: written, read back, and checked entry by entry."""

import json
from collections.abc import Mapping
from dataclasses import asdict, fields, replace
from pathlib import Path

from engine.device.cost import HOST_EXTRA, HOST_STEPS, KERNEL_FAMILIES, LIMITS, CostError, CostModel
from engine.device.costs import COSTS
from engine.device.step_cost import TEXT, cost_named
from engine.json_file import is_utf8, read_json


def load_cost(source: str) -> CostModel:
    """A preset by name, the times of a step (`C8.2-G27-F4.8`), or a JSON file as written by
    `dump_cost`.

    Raises CostError with one sentence when it is neither or holds unusable numbers.
    """
    if source in COSTS or TEXT.fullmatch(source):
        return cost_named(source)
    missing = (
        f"no cost model {source!r}: use one of {', '.join(COSTS)}, the times of a step in ms as "
        "C8.2-G27-F4.8-in0.3-out0.1, or a JSON file"
    )
    return cost_from_dict(read_json(source, missing, CostError), Path(source).stem)


def dump_cost(cost: CostModel) -> str:
    """The cost model as JSON text."""
    return json.dumps(asdict(cost), indent=2) + "\n"


def cost_from_dict(document: object, name: str = "custom") -> CostModel:
    """A cost model from decoded JSON. Raises CostError naming the first wrong entry."""
    if not isinstance(document, dict):
        raise CostError("a cost model is a JSON object with entries such as host_ns and kernel_ns")
    known = {item.name: item for item in fields(CostModel)}
    for key, value in document.items():
        if key not in known:
            raise CostError(f"unknown cost entry {key!r}; known are {', '.join(known)}")
        _check_entry(key, value)
    return replace(CostModel(name=name), **document)


def check_cost(cost: CostModel) -> CostModel:
    """A cost model made in Python, as it is. Raises CostError naming the first wrong entry."""
    for item in fields(CostModel):
        _check_entry(item.name, getattr(cost, item.name))
    return cost


def _check_entry(key: str, value: object) -> None:
    example = getattr(CostModel(), key)
    if isinstance(example, str):
        if not isinstance(value, str):
            raise CostError(f"cost entry {key!r} must be text")
        if not is_utf8(value):
            raise CostError(
                f"cost entry {key!r} holds half of a surrogate pair: no file can hold it"
            )
        return
    if isinstance(example, dict):
        allowed = KERNEL_FAMILIES if key == "kernel_ns" else HOST_STEPS + HOST_EXTRA
        if not isinstance(value, Mapping):
            raise CostError(f"cost entry {key!r} must be an object of names and nanoseconds")
        for name, duration in value.items():
            if name not in allowed:
                raise CostError(f"{key!r} knows {', '.join(allowed)}, not {name!r}")
            _check_number(f"{key}.{name}", duration)
        return
    _check_number(key, value, *LIMITS.get(key, (0, 10**12)))


def _check_number(key: str, value: object, low: int = 0, high: int = 10**12) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise CostError(f"cost entry {key!r} must be a whole number from {low} to {high:,}")
