"""What a caller of `configure` and `run` hands in: what is of a wrong kind, or cannot be run, is
told in one sentence before anything is built.

Workloads and cost models made in Python meet the rules of those that are read from a file.
"""

from collections.abc import Mapping
from pathlib import Path

from engine.config import ConfigError
from engine.device.cost import CostError, CostModel
from engine.device.cost_file import check_cost, load_cost
from engine.workloads.file import check_workload, load_workload
from engine.workloads.workload import Workload, WorkloadError

KINDS: dict[type, str] = {
    str: "a word",
    bool: "True or False",
    Mapping: "toggles with their values, such as {'depth': 2}",
}


def check_kind(kind: type, **arguments: object) -> None:
    """Raise ConfigError naming the first argument that is not of a kind in KINDS."""
    for name, value in arguments.items():
        if not isinstance(value, kind):
            raise ConfigError(f"{name} must be {KINDS[kind]}, not {value!r}")


def cost_of(source: str | Path | CostModel) -> CostModel:
    """The cost model that is meant. Raises CostError with one sentence."""
    if isinstance(source, CostModel):
        return check_cost(source)
    if isinstance(source, str | Path):
        return load_cost(str(source))
    raise CostError(f"cost must be a preset's name, a JSON file or a CostModel, not {source!r}")


def workload_of(source: str | Path | Workload) -> Workload:
    """The workload that is meant. Raises WorkloadError with one sentence."""
    if isinstance(source, Workload):
        return check_workload(source)
    if isinstance(source, str | Path):
        return load_workload(str(source))
    raise WorkloadError(
        f"workload must be a preset's name, a JSON file or a Workload, not {source!r}"
    )
