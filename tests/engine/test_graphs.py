"""Captured graphs: the same tokens from one launch a step, and what capture bakes in."""

from dataclasses import replace

import pytest
import torch

from engine import configure, execute
from engine.device.cost import MS
from engine.device.costs import COSTS
from engine.graphs import ACTIVE
from engine.mechanisms.table import BY_NAME
from engine.oplog import OpKind
from engine.results.dump import build_trace
from engine.results.verdict import peaks_over_bound


def go(graphs="shared", *, workload=None, cost=None, compute=True, requests=None, **toggles):
    settings = {"graphs": graphs, **toggles}
    return execute(
        configure(
            "async", set=settings, workload=workload, cost=cost, compute=compute,
            requests=requests,
        )
    )  # fmt: skip


def replayed(result):
    """The kernels of graphs, by the step of their batch."""
    steps = {}
    for op in result.device.log:
        if op.graph:
            steps.setdefault(op.step, []).append(op)
    return steps


@pytest.mark.parametrize("workload", ["chat", "churn", "long-prompts", "sampled"])
def test_graphs_give_the_tokens_of_the_synchronous_engine(workload):
    result = go(workload=workload)
    assert replayed(result)
    assert result.token_diff.count == 0
    assert not result.hazards and not result.invariants


@pytest.mark.parametrize("graphs", ["shared", "private"])
@pytest.mark.parametrize(("depth", "slots"), [(1, 1), (2, 1), (2, 2), (3, 2), (3, 4)])
def test_graphs_are_right_at_every_depth_and_slot_count(graphs, depth, slots):
    result = go(graphs, requests=8, depth=depth, device_slots=slots, host_slots=slots)
    assert replayed(result)
    assert result.token_diff.count == 0
    assert not result.hazards and not result.invariants


@pytest.mark.parametrize(
    "toggles", [{"sampling": "host"}, {"carry": "host"}, {"carry": "add"}, {"item_sync": "on"}]
)
def test_graphs_go_with_other_ways_of_working(toggles):
    result = go(requests=8, **toggles)
    assert replayed(result) and result.token_diff.count == 0 and not result.hazards


def test_only_batches_of_single_tokens_are_replayed():
    log = go(workload="long-prompts", compute=False).device.log
    eager = {op.step for op in log if op.name == "sample" and not op.graph}
    tokens = {op.step: op.writes[0].mask.bit_length() for op in log if op.name == "carry"}
    rows = {op.step: op.nbytes // 8 for op in log if op.name == "d2h out"}
    assert eager == {step for step in rows if tokens[step] > rows[step] and step in eager}
    assert all(tokens[step] > rows[step] for step in eager)


def test_a_replay_is_one_launch_that_pays_once():
    result = go(compute=False)
    kernels = replayed(result)
    assert {len(ops) for ops in kernels.values()} == {4 + len(result.parts.forward.kv)}
    for ops in kernels.values():
        assert {op.replay for op in ops} == {ops[0].seq}
        assert {op.issue_ns - op.call_ns for op in ops} == {result.config.cost.launch_ns}
    trace = build_trace(result.device.log, result.device.spans, [], {})
    launches = trace.spans[trace.spans["name"].str.startswith("launch graph")]
    assert len(launches) == len(kernels)
    flows = trace.flows[trace.flows["src"].isin(launches.index)]
    assert len(flows) == sum(map(len, kernels.values()))


def test_launching_costs_the_host_less_with_graphs():
    def launch_ns(result):
        spans = [span for span in result.device.spans if span.name == "launch"]
        return sum(span.end_ns - span.start_ns for span in spans)

    assert launch_ns(go(compute=False)) < 0.75 * launch_ns(go("off", compute=False))


def test_batches_are_padded_to_powers_of_two_or_to_the_largest_batch():
    result = go(workload="churn")
    sizes = {key.size for key in result.parts.graphs.captured}
    assert sizes <= {1, 2, 4, 8} and max(sizes) == 8
    assert {key.size for key in go().parts.graphs.captured} <= {1, 2, 4, 6}


def test_a_graph_is_captured_once_for_a_slot_a_size_and_a_context():
    captured = go().parts.graphs.captured
    assert all(graph.key == key for key, graph in captured.items())
    assert all(graph.views.columns == key.columns for key, graph in captured.items())
    assert {key.slot for key in captured} == {0, 1}
    coarse = go(graph_key="coarse").parts.graphs.captured
    assert {key.columns for key in coarse} == {0} and len(coarse) < len(captured)


@torch.inference_mode()
def test_padding_writes_neither_keys_nor_values_nor_results():
    result = go(workload="churn", requests=6)
    graphs = result.parts.graphs
    graph = next(g for key, g in graphs.captured.items() if key.size == 4)
    inputs = graph.views.inputs
    inputs["control"].tensor.copy_(torch.tensor([0, 3]))
    for label, garbage in (("tokens", 99), ("places", 3), ("block_table", 7)):
        inputs[label].tensor.fill_(garbage)
    inputs["places"].tensor[:4, 1] = torch.arange(4)
    inputs["block_table"].tensor[:3] = torch.arange(30, 33)[:, None]
    inputs["sampling"].tensor[:, 0] = torch.arange(inputs["sampling"].tensor.shape[0])
    watched = [*graph.forward.kv, graph.out, graph.forward.ring]
    before = [buffer.tensor.clone() for buffer in watched]
    for body in _in_order(graph):
        body()()
    changed = [
        (now.tensor != old).flatten(1).any(1).nonzero().flatten().tolist()
        if old.dim() > 1
        else (now.tensor != old).nonzero().flatten().tolist()
        for now, old in zip(watched, before, strict=True)
    ]
    *kv, out, ring = changed
    assert all(set(blocks) <= {30, 31, 32} and blocks for blocks in kv)
    assert set(out) <= {0, 1, 2} and set(ring) <= {0, 1, 2}


def _in_order(graph):
    layers = [graph.bodies[f"layer {index}"] for index in range(len(graph.forward.kv))]
    names = ("carry", "embed"), ("head", "sample")
    first, last = ([graph.bodies[name] for name in pair] for pair in names)
    return [*first, *layers, *last]


def test_the_active_count_is_what_the_last_batch_had_or_what_the_capture_left():
    counts = [op.nbytes // 8 for op in go(workload="churn").device.log if op.name == "h2d control"]
    assert set(counts) == {2}
    stale = go(workload="churn", graph_padding="stale")
    assert {op.nbytes // 8 for op in stale.device.log if op.name == "h2d control"} == {1}
    for slot in stale.parts.slots.device_inputs:
        assert slot.buffers["control"].tensor[ACTIVE] == stale.config.workload.batch


def test_a_shared_pool_takes_the_bytes_of_one_and_private_pools_of_all():
    off, shared, private = (go(graphs, compute=False) for graphs in ("off", "shared", "private"))
    graphs = shared.parts.graphs
    assert graphs.pool_bytes == graphs.bound_bytes
    assert not peaks_over_bound(shared)
    count = len(private.parts.graphs.captured)
    assert private.parts.graphs.pool_bytes == count * graphs.bound_bytes
    assert "pools of" in peaks_over_bound(private)[0]
    control = 2 * 2 * 8  # two slots, two words
    peaks = [r.device.memory.peak_device_bytes for r in (off, shared, private)]
    assert peaks[1] - peaks[0] == graphs.bound_bytes + control
    assert peaks[2] - peaks[1] == (count - 1) * graphs.bound_bytes


def test_two_graphs_at_once_need_a_pool_each():
    assert not go("private", graph_concurrency="at-once").hazards
    racing = go(graph_concurrency="at-once", compute=False).hazards
    assert {hazard.resource for hazard in racing} == {"graph pool"}
    assert {hazard.labels for hazard in racing} == {("hidden", "ids", "logits")}
    assert all("in the graph of" in hazard.first for hazard in racing)
    assert {hazard.fix.text for hazard in racing} == {
        "compute.wait(first_graph_done)  # before the graph that shares its pool"
    }


@pytest.mark.parametrize(("occupancy", "times"), [(1000, 2), (500, 1)])
def test_two_large_graphs_at_once_take_as_long_as_one_after_the_other(occupancy, times):
    cost = replace(
        COSTS["published-8b"], occupancy=occupancy, kernel_bandwidth=0, launch_ns=0, event_ns=0
    )
    options = {"workload": "even", "cost": cost, "compute": False}
    one = go("private", **options)
    two = go("private", graph_concurrency="at-once", **options)
    step = max(replayed(one))
    assert _busy_ns(two, step) == pytest.approx(times * _busy_ns(one, step), abs=100)


def _busy_ns(result, step):
    ops = [op for op in result.device.log if op.step == step and op.kind is OpKind.KERNEL]
    return max(op.end_ns for op in ops) - min(op.start_ns for op in ops)


def test_results_inside_a_private_pool_are_safe():
    assert not go("private", graph_output="inside", cost="slow-copies", compute=False).hazards


def test_a_partial_fence_still_leaves_out_the_block_table_alone():
    hazards = go(fence="partial", compute=False).hazards
    assert {label for hazard in hazards for label in hazard.labels} == {"block_table"}


def test_a_hazard_edge_holds_for_the_kernels_of_a_replay():
    racing = go(wait_h2d="off", compute=False)
    (hazard,) = racing.hazards
    assert "control" in hazard.labels
    assert not execute(racing.config, repairs=hazard.fix.edges).hazards


@pytest.mark.parametrize("toggle", ["graph_slot", "graph_key", "graph_padding", "graph_output"])
def test_without_graphs_their_toggles_do_nothing(toggle):
    wrong = BY_NAME[toggle].values[1]
    plain, toggled = (
        execute(configure("async", set={toggle: value}, requests=4))
        for value in (BY_NAME[toggle].correct, wrong)
    )
    assert repr(plain.device.log) == repr(toggled.device.log)


def test_one_copy_engine_makes_inputs_wait_for_results():
    one, two = (
        execute(configure("async", cost=cost, workload="chat", compute=False, steps=40))
        for cost in ("one-copy-engine", "two-copy-engines")
    )
    assert one.wall_ns > two.wall_ns + 40 * MS
    copies = [op for op in one.device.log if op.kind in (OpKind.H2D, OpKind.D2H)]
    copies.sort(key=lambda op: op.start_ns)
    pairs = zip(copies, copies[1:], strict=False)
    assert all(a.end_ns <= b.start_ns for a, b in pairs)
