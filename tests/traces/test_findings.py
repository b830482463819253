"""Findings: every idle instant belongs to one rule, which names what to change."""

import json
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import run
from engine.mechanisms.table import BY_NAME
from tests.traces.builders import Diagram, traces
from traces import Trace, find_findings, find_gaps, list_samples, open_sample, open_trace
from traces.finding_rules import RULES, rule_of
from traces.findings import findings_json

PUBLIC = Path(
    os.environ.get("OVERLAP_LAB_PUBLIC_TRACES")
    or Path(__file__).parents[3] / "shared" / "public_traces"
)

VERDICTS = {
    "TraceLens__inference_sglang_decode_sglang_Qwen3-8B_decode.json.gz": "incomplete trace",
    "TraceLens__b200_eager_trace.json.gz": "starved by launches",
    "TraceLens__train_resnet18.json.gz": "allocation in the loop",
    "test-cuda__report1.sqlite": "module loading and compilation",
}


def costliest(trace: Trace):
    return find_findings(trace)[0]


@pytest.mark.parametrize(("file", "verdict"), VERDICTS.items())
def test_verdicts_on_public_traces(file, verdict):
    if not (PUBLIC / file).is_file():
        pytest.skip(f"no public traces in {PUBLIC.name}")
    assert costliest(open_trace(PUBLIC / file)).rule == verdict


@pytest.mark.parametrize(
    ("sample", "mechanism"),
    [
        ("sync", "depth=2"),
        ("item-sync", "item_sync=off"),
        ("one-stream", "streams=three"),
        ("pageable", "memory=pinned"),
    ],
)
def test_a_sample_is_told_the_mechanism_that_it_lacks(sample, mechanism):
    (named,) = (s for s in list_samples() if s.file == f"engine-{sample}.json.gz")
    finding = costliest(open_sample(named))
    assert (finding.mechanism, finding.confidence) == (mechanism, "high")
    assert finding.evidence


def test_every_mechanism_is_a_toggle_of_the_lab_with_a_value_it_has():
    for rule in RULES:
        if rule.mechanism:
            name, _, value = rule.mechanism.partition("=")
            assert value in BY_NAME[name].values
            assert value == BY_NAME[name].correct or name == "graphs"  # right either way


@pytest.mark.parametrize(
    ("cause", "gap_ns", "rule"),
    [
        ("cudaMemcpy", 1, "blocking copy"),
        ("cudaMemcpyAsync", 1, "CPU work between steps"),
        ("hipMemcpyWithStream", 1, "blocking copy"),
        ("cudaDeviceSynchronize", 1, "device-wide synchronise"),
        ("hipStreamSynchronize", 1, "stream synchronise"),
        ("cuCtxSynchronize", 1, "device-wide synchronise"),
        ("cudaHostAlloc", 1, "allocation in the loop"),
        ("cudaMallocAsync_v11020", 1, "allocation in the loop"),
        ("hipFree", 1, "allocation in the loop"),
        ("cuModuleLoadData", 1, "module loading and compilation"),
        ("cuLibraryLoadData", 1, "module loading and compilation"),
        ("Lazy function loading (CUDA)", 1, "module loading and compilation"),
        ("slow launch call", 5_000_000, "module loading and compilation"),
        ("Instrumentation (Profiler)", 1, "profiler overhead"),
        ("Activity Buffer Request (overhead)", 1, "profiler overhead"),
        ("UVM Activity Init (overhead)", 1, "profiler overhead"),
        ("Runtime Triggered Module Loading (overhead)", 1, "module loading and compilation"),
        ("Command Buffer Full (overhead)", 1, "held up on the device"),
        ("Resource", 1, "CPU work between steps"),
        ("slow launch of a pipeline", 5_000_000, "CPU work between steps"),
        ("CPU operators", 999_999, "starved by launches"),
        ("data loading", 1, "data loading"),
        ("CPU operators", 1_000_000, "CPU work between steps"),
        ("update state", 1, "CPU work between steps"),
        ("cannot tell (no launch recorded)", 1, "incomplete trace"),
        ("host (untraced)", 1, "untraced CPU"),
        ("device synchronize each step", 1, "device-wide synchronise in each step"),
        ("accepted length .item()", 1, "accepted length read by the host"),
    ],
)
def test_a_cause_belongs_to_the_rule_that_says_what_to_do(cause, gap_ns, rule):
    assert rule_of(cause, gap_ns).name == rule


@given(st.text(), st.integers(0, 1 << 60))
def test_every_cause_has_a_rule(cause, gap_ns):
    assert rule_of(cause, gap_ns) in RULES


@given(traces())
def test_the_findings_of_the_gaps_add_up_to_the_idle_time(trace):
    names = {rule.name for rule in RULES}
    for meta in ("overlap-lab", "other"):
        trace.meta["format"] = meta
        findings = find_findings(trace)
        of_gaps = [finding for finding in findings if finding.rule in names]
        assert sum(f.ns for f in of_gaps) == sum(gap.ns for gap in find_gaps(trace))
        assert len({f.rule for f in of_gaps}) == len(of_gaps)
        assert [f.ns for f in findings] == sorted((f.ns for f in findings), reverse=True)
        assert all(0 < f.share <= 1 for f in findings)
        shown = findings_json(trace, findings)
        assert json.loads(json.dumps(shown)) == shown


def foreign(run: Diagram) -> Trace:
    trace = run.trace()
    trace.meta["format"] = "kineto"
    return trace


def by_rule(trace: Trace):
    return {finding.rule: finding for finding in find_findings(trace)}


@pytest.mark.parametrize("mode", ["sync", "async"])
def test_what_comes_before_the_first_kernel_and_after_the_last_is_told_as_such(mode):
    trace = run(mode, steps=6, compute=False).trace
    first, *_, last = find_gaps(trace)
    found = by_rule(trace)
    assert (first.where, last.where) == ("start", "end")
    assert (found["start of the run"].ns, found["end of the run"].ns) == (first.ns, last.ns)
    assert not found["start of the run"].mechanism and not found["end of the run"].mechanism
    assert (mode == "sync") == any(finding.mechanism == "depth=2" for finding in found.values())


def steps_of_two_kernels(steps: int, inside_ns: int, between_ns: int, marked: bool) -> Trace:
    """The host works `between_ns` before a step's first kernel, `inside_ns` before its second."""
    run, at = Diagram(), 0
    for number in range(steps):
        begin = at
        for name, ns in (("first", between_ns), ("second", inside_ns)):
            run.host(f"before {name}", at, at + ns)
            at += ns
            call = run.host("cudaLaunchKernel", at, at + 10_000, "launch")
            at += 10_000
            run.gpu("compute", "kernel", at, at + 1_000_000, call, name=name)
            run.host("cudaEventSynchronize", at, at + 1_000_000, "sync")
            at += 1_000_000
        if marked:
            run.host(f"ProfilerStep#{number}", begin, at, "annotation")
    return foreign(run)


@pytest.mark.parametrize("marked", [True, False])
def test_host_work_within_a_step_is_not_told_as_between_steps(marked):
    found = by_rule(steps_of_two_kernels(6, 2_000_000, 3_000_000, marked))
    between, inside = found["CPU work between steps"], found["CPU work between launches"]
    assert (between.ns, inside.ns) == (5 * 3_000_000, 6 * 2_000_000)
    assert (between.mechanism, inside.mechanism) == ("depth=2", "graphs=shared")
    assert "asynchronous" in between.advice and "asynchronous" not in inside.advice


@pytest.mark.parametrize("marked", [True, False])
def test_of_one_step_or_none_nothing_is_between_steps(marked):
    trace = steps_of_two_kernels(1, 2_000_000, 3_000_000, marked)
    found = find_findings(trace)
    assert {finding.rule for finding in found} >= {"CPU work between launches"}
    assert not any(finding.mechanism == "depth=2" for finding in found)
    assert not {"CPU work between steps", "host is the bottleneck"} & {f.rule for f in found}


def replayed(call_name: str) -> Trace:
    """A call of 600 µs on an idle device, the first of its kernels at its end, the second 4 µs
    behind that one."""
    run = Diagram()
    first = run.host("cudaLaunchKernel", 0, 10_000, "launch")
    run.gpu("compute", "kernel", 10_000, 50_000, first)
    call = run.host(call_name, 51_000, 650_000, "launch")
    run.gpu("compute", "kernel", 650_000, 700_000, call)
    run.gpu("compute", "kernel", 704_000, 800_000, call)
    return foreign(run)


@pytest.mark.parametrize("name", ["cudaGraphLaunch", "hipGraphLaunch", "cuGraphLaunch_ptsz"])
def test_where_a_graph_is_launched_no_graph_is_advised(name):
    found = by_rule(replayed(name))
    assert found["graph launch latency"].ns == 599_000 + 4_000
    assert "fewer nodes" in found["graph launch latency"].advice
    assert not any(finding.mechanism == "graphs=shared" for finding in found.values())
    kernel = by_rule(replayed("cudaLaunchKernel"))["launch latency"]
    assert (kernel.ns, kernel.mechanism) == (599_000 + 4_000, "graphs=shared")


def test_what_any_format_and_program_can_be_told_names_no_other():
    advice = {rule.name: rule.advice for rule in RULES}
    assert "CUDA" not in advice["incomplete trace"]
    for word in ("schedul", "token", "CUDA"):
        assert word not in advice["host is the bottleneck"]


def test_copies_on_the_only_stream_and_of_pageable_memory_are_found_each_once():
    run = Diagram()
    pageable = run.gpu("compute", "h2d", 0, 40, name="Memcpy HtoD (Pageable -> Device)")
    run.gpu("compute", "kernel", 40, 100)
    pinned = run.gpu("compute", "d2h", 100, 130, name="Memcpy DtoH (Device -> Pinned)")
    found = by_rule(foreign(run))
    assert found["pageable copies with no kernel beside them"].severity == "high"
    assert found["one stream for copies and kernels"].mechanism == "streams=three"
    for rule, copy, ns in (("pageable copies with no kernel beside them", pageable, 40),
                           ("one stream for copies and kernels", pinned, 30)):  # fmt: skip
        (evidence,) = found[rule].evidence
        assert (evidence.span_id, evidence.ns, found[rule].ns) == (copy, ns, ns)


def test_no_more_of_the_copies_can_be_hidden_than_there_are_kernels():
    run = Diagram()
    for number in range(4):
        at = 100 * number
        run.gpu("compute", "h2d", at, at + 90 + number)
        run.gpu("compute", "kernel", at + 95, at + 100)
    finding = by_rule(foreign(run))["one stream for copies and kernels"]
    assert finding.ns == 4 * 5 == sum(item.ns for item in finding.evidence)


@pytest.mark.parametrize(
    ("streams", "kind"), [(("compute", "D2H"), "h2d"), (("compute",), "copy")],
    ids=["a pipeline on two streams", "copies within the device"],
)  # fmt: skip
def test_what_needs_no_stream_of_its_own_is_not_told_to_take_one(streams, kind):
    run = Diagram()
    for number in range(4):
        stream, at = streams[number % len(streams)], 100 * number
        run.gpu(stream, kind, at, at + 50)
        run.gpu(stream, "kernel", at + 50, at + 100)
    assert "one stream for copies and kernels" not in by_rule(foreign(run))


def test_copies_on_a_stream_of_their_own_under_kernels_are_no_finding():
    run = Diagram()
    run.gpu("H2D", "h2d", 0, 40, name="Memcpy HtoD (Pageable -> Device)")
    run.gpu("compute", "kernel", 0, 100)
    assert not find_findings(foreign(run))


def test_communication_counts_only_where_nothing_is_computed():
    run = Diagram()
    run.gpu("compute", "kernel", 0, 50)
    run.gpu("D2H", "kernel", 20, 80, name="ncclDevKernel_AllReduce")
    found = by_rule(foreign(run))
    assert found["exposed communication"].ns == 30


def test_the_longest_spans_are_the_evidence():
    run = Diagram()
    run.gpu("compute", "kernel", 0, 1)
    for n in range(1, 9):
        at = n * 1_000_000
        run.host("cudaFree", at, at + 50_000 * n, "runtime")
        call = run.host("cudaLaunchKernel", at + 50_000 * n, at + 50_000 * n + 1, "launch")
        run.gpu("compute", "kernel", at + 50_000 * n + 1, (n + 1) * 1_000_000, call)
    finding = by_rule(foreign(run))["allocation in the loop"]
    assert [item.ns for item in finding.evidence] == [50_000 * n for n in (8, 7, 6, 5, 4)]
    shown = findings_json(foreign(run), [finding])[0]
    assert {item["name"] for item in shown["evidence"]} == {"cudaFree"}
    assert shown["seconds"] == 50_000 * 36 / 1e9
