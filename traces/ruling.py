"""Which rule each part of a gap falls under in one trace.

Most often the one that its cause fits. Two things about the run count for more: before its first
kernel and after its last nothing can run beside the host, and where the steps overlap already
overlap is not what is missing.
"""

from traces.finding_rules import (
    AT_END,
    AT_START,
    BETWEEN_STEPS,
    HOST_BOUND,
    OVERLAP,
    OVERLAPPED_RUN,
    RULES,
    Rule,
    rule_of,
)
from traces.gap import Gap, GapPart
from traces.host_bound import is_host_bound, runs_ahead
from traces.schema import Trace

BY_NAME = {rule.name: rule for rule in RULES}
AT_EDGE = {"start": BY_NAME[AT_START], "end": BY_NAME[AT_END]}
"""By where a gap is (`Gap.where`)."""


class Ruling:
    """The rules of one trace. `overlapped` takes the place of `BETWEEN_STEPS`; it is None where
    the steps do not overlap."""

    def __init__(self, trace: Trace) -> None:
        self.overlapped = _overlapped(trace)

    def rule(self, gap: Gap, part: GapPart) -> Rule:
        """The rule of a part of a gap. What overlap would cure it cannot cure at an edge."""
        rule = rule_of(part.cause, gap.ns)
        if rule.mechanism == OVERLAP and gap.where in AT_EDGE:
            return AT_EDGE[gap.where]
        return self.overlapped if self.overlapped and rule.name == BETWEEN_STEPS else rule

    def mechanism(self, rule: Rule) -> str:
        """The toggle that a rule names, empty where this run has what the toggle gives."""
        return "" if self.overlapped and rule.mechanism == OVERLAP else rule.mechanism


def _overlapped(trace: Trace) -> Rule | None:
    """What idle time between steps is called where they overlap already."""
    if is_host_bound(trace):
        return BY_NAME[HOST_BOUND]
    return BY_NAME[OVERLAPPED_RUN] if runs_ahead(trace) else None
