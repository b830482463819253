"""The modes by what a run on a real device shows of them: which race, which are right."""

from engine.execution import Run
from engine.modes.table import MODES

LATE = ("window-on-scheduled", "kv-released-at-once", "freed-on-scheduled", "cancel-at-once")
"""Modes that race only after many steps: they are run to their end."""

RACING = tuple(name for name, mode in MODES.items() if "H" in mode.expect)
"""Modes with a hazard. Held open, each gives wrong tokens."""

CORRECT = tuple(name for name, mode in MODES.items() if not mode.expect - {"G", "M"})
"""Modes that are right, whatever their speed and memory: no timing may change a token."""


def races(run: Run) -> set[tuple[str, str, str]]:
    """The races of a run, as they are compared: kind, resource, missing edge."""
    return {(hazard.kind, hazard.resource, hazard.missing_edge) for hazard in run.hazards}
