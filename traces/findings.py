"""Findings: what costs time in a trace, how sure that is, where to look, and what to change.

Those of the gaps add up to the idle time. Beside them stand those about busy time that could
be hidden: copies of pageable memory, other copies on the stream of the kernels, communication. No
time is told twice, and of copies no more than there are kernels to hide it under.

Where a trace has several devices a finding is about all of them: its time is theirs together, its
share is of their times added up, and beside it stands what each has of it in its own time.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import pandas as pd

from traces import intervals
from traces.activity import DeviceActivity, device_activity, span_union
from traces.communication import is_communication
from traces.finding_rules import HIGH, LOW, MEDIUM
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
class DeviceLoss:
    """What one device has of a finding: `ns`, a share `share` of the device's own time."""

    device: int
    ns: int
    share: float


@dataclass(frozen=True)
class Finding:
    """`ns` of the run, a share `share` of it, are lost for the reason that `rule` names.

    `mechanism` is the lab's toggle with its right value, or empty; `evidence` is the longest
    spans first; `devices` are those that it was found on, the one that loses most first.
    """

    rule: str
    ns: int
    share: float
    confidence: str
    mechanism: str
    advice: str
    evidence: tuple[Evidence, ...]
    devices: tuple[DeviceLoss, ...]

    @property
    def severity(self) -> str:
        """By the share of the run."""
        return HIGH if self.share >= SEVERE else MEDIUM if self.share >= NOTABLE else LOW

    @property
    def is_small(self) -> bool:
        """Whether it costs too little for more than its name to be told."""
        return self.share < SMALL


class Kind(NamedTuple):
    """What all findings of one name share."""

    name: str
    confidence: str
    mechanism: str
    advice: str


PAGEABLE = Kind(
    "pageable copies with no kernel beside them", HIGH, "memory=pinned",
    "Allocate the host buffers with pin_memory=True and copy with non_blocking=True.",
)  # fmt: skip
ONE_STREAM = Kind(
    "one stream for copies and kernels", MEDIUM, "streams=three",
    "Put the copies on streams of their own and order them with events.",
)  # fmt: skip
EXPOSED = Kind(
    "exposed communication", MEDIUM, "",
    "Overlap the collectives with computation: bucket them, or split the batch in two.",
)  # fmt: skip

Losses = dict[Kind, dict[int, list[Evidence]]]
"""By finding and device."""


def find_findings(
    trace: Trace, gaps: Sequence[Gap] | None = None, ruling: Ruling | None = None
) -> list[Finding]:
    """All findings, the costliest first. `gaps` are those of `find_gaps` and `ruling` is the
    trace's, where the caller has them."""
    gaps = find_gaps(trace) if gaps is None else gaps
    ruling = Ruling(trace) if ruling is None else ruling
    activity = device_activity(trace)
    base = {device.device: observed_ns(trace, device) for device in activity}
    lost = _in_gaps(gaps, trace.is_engine_dump, ruling)
    work = trace.gpu_spans().groupby("device")
    for device in activity:
        if device.copy_ns or device.communication_ns:
            ops = work.get_group(device.device)
            for kind, evidence in _in_busy_time(ops, device, trace.is_engine_dump):
                lost[kind][device.device] += evidence
    found = [_finding(kind, of, base) for kind, of in lost.items()]
    return sorted(found, key=lambda finding: (-finding.ns, finding.rule))


def findings_json(trace: Trace, findings: Sequence[Finding]) -> list[dict[str, Any]]:
    """The findings as JSON holds them; times of evidence count from the trace's beginning.
    `seconds` and `share` are of all devices together, those in `devices` each one's own."""
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
            "devices": [
                {"id": one.device, "seconds": one.ns / NS_PER_S, "share": one.share}
                for one in finding.devices
            ],
        }
        for finding in findings
    ]


def _in_gaps(gaps: Sequence[Gap], is_certain: bool, ruling: Ruling) -> Losses:
    """One finding for each rule that explains a part of a gap. A dump of ours says what waited
    for what, so there only what cannot be told is doubtful."""
    lost: Losses = defaultdict(lambda: defaultdict(list))
    kinds: dict[str, Kind] = {}
    for gap in gaps:
        for part in gap.parts:
            rule = ruling.rule(gap, part)
            if rule.name not in kinds:
                confidence = HIGH if is_certain and rule.confidence == MEDIUM else rule.confidence
                mechanism = ruling.mechanism(rule)
                kinds[rule.name] = Kind(rule.name, confidence, mechanism, rule.advice)
            lost[kinds[rule.name]][gap.device].append(Evidence(part.span_id, part.ns))
    return lost


def _in_busy_time(
    ops: pd.DataFrame, device: DeviceActivity, is_engine_dump: bool
) -> Iterator[tuple[Kind, list[Evidence]]]:
    """What could be hidden of one device's busy time; what copies cost a run of this lab stands in
    its gaps."""
    is_kernel = ops["kind"] == "kernel"
    kernels, copies = ops[is_kernel], ops[ops["kind"].isin(COPY_KINDS)]
    collective = is_communication(kernels)
    pageable = copies[copies["name"].str.contains("pageable", case=False)]
    if not is_engine_dump and (exposed := _outside(pageable, kernels)):
        yield PAGEABLE, exposed
    if not is_engine_dump and _share_a_stream(copies, kernels, device):
        others = copies[(copies["kind"] != "copy") & ~copies.index.isin(pageable.index)]
        if hidden := _at_most(intervals.total(span_union(kernels)), _outside(others, kernels)):
            yield ONE_STREAM, hidden
    if exposed := _outside(kernels[collective], kernels[~collective]):
        yield EXPOSED, exposed


def _share_a_stream(copies: pd.DataFrame, kernels: pd.DataFrame, device: DeviceActivity) -> bool:
    """Whether between host and device all is copied on one stream, which computes, too, and under
    no kernel. Where several streams each copy and compute, they are what may overlap."""
    used = set(copies.loc[copies["kind"] != "copy", "stream"])
    is_one = len(used) == 1 and used <= set(kernels["stream"])
    return is_one and device.copy_compute_overlap_ns == 0


def _at_most(ns: int, spans: list[Evidence]) -> list[Evidence]:
    """The longest of the spans, with `ns` of their time at most."""
    kept = []
    for span in sorted(spans, key=lambda span: -span.ns):
        if ns > 0:
            kept.append(Evidence(span.span_id, min(span.ns, ns)))
            ns -= span.ns
    return kept


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


def _finding(kind: Kind, lost: Mapping[int, list[Evidence]], base: Mapping[int, int]) -> Finding:
    """From the spans by device, and how long each device was observed (ns)."""
    by_span: dict[int, int] = defaultdict(int)
    devices = []
    for device, spans in lost.items():
        own = sum(item.ns for item in spans)
        devices.append(DeviceLoss(device, own, own / max(1, base[device])))
        for item in spans:
            by_span[item.span_id] += item.ns
    by_span.pop(NONE, None)
    longest = sorted(by_span.items(), key=lambda item: (-item[1], item[0]))[:MOST_EVIDENCE]
    ns = sum(one.ns for one in devices)
    return Finding(
        kind.name, ns, ns / max(1, sum(base.values())), kind.confidence, kind.mechanism,
        kind.advice, tuple(Evidence(*item) for item in longest),
        tuple(sorted(devices, key=lambda one: (-one.ns, one.device))),
    )  # fmt: skip
