"""Findings: what costs time in a trace, how sure that is, where to look, and what to change.

Those of the gaps add up to the idle time. Beside them stand those about busy time that could
be hidden: copies of pageable memory, copies that never overlap kernels, communication. These
may speak of the same copies: what each could save does not add up.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from traces import intervals
from traces.activity import DeviceActivity, device_activity, span_union
from traces.communication import is_communication
from traces.finding_rules import HIGH, LOW, MEDIUM, RULES
from traces.gap import Gap
from traces.gaps import find_gaps
from traces.observed import observed_ns
from traces.ruling import Ruling
from traces.schema import COPY_KINDS, NONE, Trace

MOST_EVIDENCE = 5
SEVERE, NOTABLE, SMALL = 0.1, 0.02, 0.002
"""Shares of the run from which a finding is of high and of medium severity, and below which it is
only named."""

NS_PER_S = 1e9
NS_PER_MS = 1e6


@dataclass(frozen=True)
class Evidence:
    """A span to look at, and how much of the finding it accounts for (ns)."""

    span_id: int
    ns: int


@dataclass(frozen=True)
class Finding:
    """`ns` of the run, a share `share` of it, are lost for the reason that `rule` names.

    `mechanism` is the lab's toggle with its right value, or empty; `evidence` is the longest
    spans first.
    """

    rule: str
    ns: int
    share: float
    confidence: str
    mechanism: str
    advice: str
    evidence: tuple[Evidence, ...]

    @property
    def severity(self) -> str:
        """By the share of the run."""
        return HIGH if self.share >= SEVERE else MEDIUM if self.share >= NOTABLE else LOW

    @property
    def is_small(self) -> bool:
        """Whether it costs too little for more than its name to be told."""
        return self.share < SMALL


def find_findings(
    trace: Trace, gaps: Sequence[Gap] | None = None, ruling: Ruling | None = None
) -> list[Finding]:
    """All findings, the costliest first. `gaps` are those of `find_gaps` and `ruling` is the
    trace's, where the caller has them."""
    gaps = find_gaps(trace) if gaps is None else gaps
    ruling = Ruling(trace) if ruling is None else ruling
    activity = device_activity(trace)
    run_ns = max(1, sum(observed_ns(trace, device) for device in activity))
    found = [*_of_gaps(gaps, run_ns, trace.is_engine_dump, ruling)]
    work = trace.gpu_spans().groupby("device")
    for device in activity:
        if device.copy_ns or device.communication_ns:
            ops = work.get_group(device.device)
            found += _of_busy_time(ops, device, run_ns, trace.is_engine_dump)
    return sorted(found, key=lambda finding: (-finding.ns, finding.rule))


def findings_json(trace: Trace, findings: Sequence[Finding]) -> list[dict[str, Any]]:
    """The findings as JSON holds them; times of evidence count from the trace's beginning."""
    spans = trace.spans
    begin = int(spans["ts_ns"].min()) if len(spans) else 0
    return [
        {
            "rule": finding.rule,
            "severity": finding.severity,
            "seconds": finding.ns / NS_PER_S,
            "share": finding.share,
            "confidence": finding.confidence,
            "evidence": [
                {
                    "span": item.span_id,
                    "name": spans["name"][item.span_id],
                    "track": spans["track"][item.span_id],
                    "at_ms": (int(spans["ts_ns"][item.span_id]) - begin) / NS_PER_MS,
                    "ms": item.ns / NS_PER_MS,
                }
                for item in finding.evidence
            ],
            "mechanism": finding.mechanism,
            "advice": finding.advice,
        }
        for finding in findings
    ]


def _of_gaps(
    gaps: Sequence[Gap], run_ns: int, is_certain: bool, ruling: Ruling
) -> Iterator[Finding]:
    """One finding for each rule that explains a part of a gap. A dump of ours says what waited
    for what, so there only what cannot be told is doubtful."""
    parts = defaultdict(list)
    for gap in gaps:
        for part in gap.parts:
            parts[ruling.rule(gap, part).name].append(Evidence(part.span_id, part.ns))
    for rule in RULES:
        if own := parts.get(rule.name):
            confidence = HIGH if is_certain and rule.confidence == MEDIUM else rule.confidence
            mechanism = ruling.mechanism(rule)
            yield _finding(own, run_ns, rule.name, confidence, mechanism, rule.advice)


def _of_busy_time(
    ops: pd.DataFrame, device: DeviceActivity, run_ns: int, is_engine_dump: bool
) -> Iterator[Finding]:
    is_kernel = ops["kind"] == "kernel"
    kernels, copies = ops[is_kernel], ops[ops["kind"].isin(COPY_KINDS)]
    collective = is_communication(kernels)
    pageable = copies[copies["name"].str.contains("pageable", case=False)]
    if not is_engine_dump and (exposed := _outside(pageable, kernels)):
        yield _finding(
            exposed, run_ns, "pageable copies with no kernel beside them", HIGH, "memory=pinned",
            "Allocate the host buffers with pin_memory=True and copy with non_blocking=True.",
        )  # fmt: skip
    if not is_engine_dump and _share_a_stream(copies, kernels, device):
        yield _finding(
            _outside(copies, kernels), run_ns, "one stream for copies and kernels", MEDIUM,
            "streams=three", "Put the copies on streams of their own and order them with events.",
        )  # fmt: skip
    if exposed := _outside(kernels[collective], kernels[~collective]):
        yield _finding(
            exposed, run_ns, "exposed communication", MEDIUM, "",
            "Overlap the collectives with computation: bucket them, or split the batch in two.",
        )  # fmt: skip


def _share_a_stream(copies: pd.DataFrame, kernels: pd.DataFrame, device: DeviceActivity) -> bool:
    """Whether between host and device all is copied on streams that compute, under no kernel."""
    directed = copies[copies["kind"] != "copy"]
    own_stream = set(directed["stream"]) - set(kernels["stream"])
    return bool(len(directed) and not own_stream and device.copy_compute_overlap_ns == 0)


def _outside(spans: pd.DataFrame, cover: pd.DataFrame) -> list[Evidence]:
    """How much of each span ran while none of `cover` did; what two spans share counts once."""
    found = []
    covered = span_union(cover)
    ends = (spans["ts_ns"] + spans["dur_ns"]).tolist()
    until = -(1 << 62)
    for span, start, end in zip(spans.index.tolist(), spans["ts_ns"].tolist(), ends, strict=True):
        own = intervals.union([max(start, until)], [end])
        if ns := intervals.total(intervals.subtraction(own, covered)):
            found.append(Evidence(span, ns))
        until = max(until, end)
    return found


def _finding(
    evidence: list[Evidence], run_ns: int, rule: str, confidence: str, mechanism: str, advice: str
) -> Finding:
    ns = sum(item.ns for item in evidence)
    by_span: dict[int, int] = defaultdict(int)
    for item in evidence:
        if item.span_id != NONE:
            by_span[item.span_id] += item.ns
    longest = sorted(by_span.items(), key=lambda item: (-item[1], item[0]))[:MOST_EVIDENCE]
    shown = tuple(Evidence(*item) for item in longest)
    return Finding(rule, ns, ns / run_ns, confidence, mechanism, advice, shown)
