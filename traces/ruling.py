"""Which rule each part of a gap falls under in one trace.

Most often the one that its cause fits. Some things about the run count for more: before its first
kernel and after its last nothing can run beside the host, where the steps overlap already overlap
is not what is missing, a gap within a step is not between two, and a graph's launch needs no graph.
"""

from functools import cached_property

from traces.finding_rules import (
    AT_END,
    AT_START,
    BETWEEN_LAUNCHES,
    BETWEEN_STEPS,
    GRAPH_LATENCY,
    HOST_BOUND,
    LATENCY,
    OVERLAP,
    OVERLAPPED_RUN,
    RULES,
    STARVED,
    Rule,
    rule_of,
)
from traces.gap import Gap, GapPart
from traces.host_bound import is_host_bound, runs_ahead
from traces.schema import Trace
from traces.step_borders import StepBorders
from traces.steps import GRAPH_LAUNCH, Steps, find_steps

BY_NAME = {rule.name: rule for rule in RULES}
AT_EDGE = {"start": BY_NAME[AT_START], "end": BY_NAME[AT_END]}
"""By where a gap is (`Gap.where`)."""

OF_LAUNCHES = frozenset({LATENCY, STARVED, BETWEEN_STEPS})
"""Rules that advise a graph, or to do less between launches."""


class Ruling:
    """The rules of one trace. `overlapped` takes the place of `BETWEEN_STEPS`; it is None where
    the steps do not overlap."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._steps = find_steps(trace)
        self.overlapped = _overlapped(trace, self._steps)

    def rule(self, gap: Gap, part: GapPart) -> Rule:
        """The rule of a part of a gap. What overlap would cure it cannot cure at an edge."""
        rule = rule_of(part.cause, gap.ns)
        if rule.mechanism == OVERLAP and gap.where in AT_EDGE:
            return AT_EDGE[gap.where]
        if rule.name in OF_LAUNCHES and part.span_id in self._of_graphs:
            return BY_NAME[GRAPH_LATENCY]
        if rule.name != BETWEEN_STEPS:
            return rule
        if self.overlapped:
            return self.overlapped
        return rule if self._borders.between(gap) else BY_NAME[BETWEEN_LAUNCHES]

    def mechanism(self, rule: Rule) -> str:
        """The toggle that a rule names, empty where this run has what the toggle gives, or no two
        steps that could overlap."""
        no_use = self.overlapped or self._steps.count < 2
        return "" if no_use and rule.mechanism == OVERLAP else rule.mechanism

    @cached_property
    def _borders(self) -> StepBorders:
        return StepBorders(self._trace, self._steps)

    @cached_property
    def _of_graphs(self) -> frozenset[int]:
        """The calls that launch a graph, and what they launched."""
        spans, flows = self._trace.spans, self._trace.flows
        names = spans.loc[spans["kind"] == "launch", "name"].astype(str)
        calls = names.index[names.str.match(GRAPH_LAUNCH)]
        launched = flows["dst"][(flows["kind"] == "launch") & flows["src"].isin(calls)]
        return frozenset(calls.tolist() + launched.tolist())


def _overlapped(trace: Trace, steps: Steps) -> Rule | None:
    """What idle time between steps is called where they overlap already."""
    if steps.count < 2:
        return None
    if is_host_bound(trace):
        return BY_NAME[HOST_BOUND]
    return BY_NAME[OVERLAPPED_RUN] if runs_ahead(trace) else None
