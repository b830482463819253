"""Cost models: parts that add up, JSON there and back, each refusal, and jitter."""

import json
from dataclasses import fields

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.device.cost import HOST_STEPS, KERNEL_FAMILIES, CostError, CostModel, Jitter
from engine.device.cost_file import cost_from_dict, dump_cost, load_cost
from engine.device.costs import COSTS

MOST = 10**12
LIMITS = {
    "kernel_ns_per_token": (0, MOST),
    "free_tokens": (0, MOST),
    "h2d_ns": (0, MOST),
    "d2h_ns": (0, MOST),
    "kv_block_ns": (0, MOST),
    "pageable_factor": (1, 1000),
    "launch_ns": (0, MOST),
    "event_ns": (0, MOST),
    "alloc_ns": (0, MOST),
    "chunks": (1, 1000),
    "copy_engines": (1, 2),
    "occupancy": (0, 1000),
    "kernel_bandwidth": (0, 1000),
    "copy_bandwidth": (0, 1000),
}
TABLES = {
    "host_ns": HOST_STEPS,
    "host_ns_per_row": HOST_STEPS,
    "kernel_ns": KERNEL_FAMILIES,
}
TEXTS = ("name", "about", "workload")
duration = st.integers(0, MOST)
models = st.fixed_dictionaries(
    {
        **{key: st.integers(*limits) for key, limits in LIMITS.items()},
        **{k: st.dictionaries(st.sampled_from(names), duration) for k, names in TABLES.items()},
        **dict.fromkeys(TEXTS, st.text(max_size=5)),
    }
).map(lambda values: CostModel(**values))


def test_this_module_knows_every_entry():
    assert {f.name for f in fields(CostModel)} == {*LIMITS, *TABLES, *TEXTS}


@settings(max_examples=settings.default.max_examples // 2)
@given(models)
def test_a_cost_model_survives_json(cost):
    assert cost_from_dict(json.loads(dump_cost(cost))) == cost


@pytest.mark.parametrize("name", COSTS)
def test_every_preset_survives_a_file(name, tmp_path):
    path = tmp_path / "c.json"
    path.write_text(dump_cost(COSTS[name]))
    assert load_cost(str(path)) == load_cost(name) == COSTS[name]


def test_a_file_without_a_name_is_called_after_itself(tmp_path):
    path = tmp_path / "mine.json"
    path.write_text('{"h2d_ns": 3}')
    assert load_cost(str(path)) == CostModel(name="mine", h2d_ns=3)


# ------------------------------------------------------------------- refusals


@pytest.mark.parametrize("key", LIMITS)
def test_a_number_of_the_wrong_size_or_kind_is_refused_by_name(key):
    low, high = LIMITS[key]
    for value in (low - 1, high + 1, 1.5, "3", True, None, [], float("nan")):
        with pytest.raises(CostError, match=f"'{key}' must be a whole number from {low} to"):
            cost_from_dict({key: value})


@pytest.mark.parametrize("key", TABLES)
def test_a_table_of_durations_is_refused_by_its_first_wrong_line(key):
    name = TABLES[key][0]
    with pytest.raises(CostError, match=f"'{key}' must be an object of names"):
        cost_from_dict({key: 5})
    with pytest.raises(CostError, match=f"'{key}' knows {name}, .*, not 'dance'"):
        cost_from_dict({key: {"dance": 5}})
    for value in (-1, MOST + 1, 0.5, "1", False):
        with pytest.raises(CostError, match=f"'{key}.{name}' must be a whole number"):
            cost_from_dict({key: {name: value}})


@pytest.mark.parametrize("key", TEXTS)
def test_a_text_must_be_text(key):
    with pytest.raises(CostError, match=f"'{key}' must be text"):
        cost_from_dict({key: 5})


@pytest.mark.parametrize("document", [[], 3, "x", None])
def test_a_cost_model_is_an_object(document):
    with pytest.raises(CostError, match="a cost model is a JSON object"):
        cost_from_dict(document)


def test_an_unknown_entry_is_refused_with_the_known_ones():
    with pytest.raises(CostError, match="unknown cost entry 'h2d'; known are name, about"):
        cost_from_dict({"h2d": 5})


@pytest.mark.parametrize("source", ["no such thing", "x" * 5000, "", "\0", "."])
def test_a_name_that_is_neither_preset_nor_file_is_refused(source):
    with pytest.raises(CostError, match="use one of published-8b"):
        load_cost(source)


@pytest.mark.parametrize(
    "content", [b"", b"{", b"\xff\xfe", b"[" * 100_000, b'{"h2d_ns": ' + b"9" * 5000 + b"}"]
)
def test_a_file_that_is_no_json_is_refused(content, tmp_path):
    path = tmp_path / "c.json"
    path.write_bytes(content)
    with pytest.raises(CostError, match="not a readable JSON file"):
        load_cost(str(path))


# ---------------------------------------------------------------------- times


@given(duration, duration, st.integers(0, 4096), st.integers(0, 4096), st.integers(1, 40))
def test_the_parts_of_a_kernel_family_add_up_to_the_whole(base, a_token, free, tokens, parts):
    cost = CostModel(kernel_ns={"layer": base}, kernel_ns_per_token=a_token, free_tokens=free)
    whole = cost.kernel_work_ns("layer", (0, 1), tokens)
    assert whole == base + a_token * max(0, tokens - free)
    assert sum(cost.kernel_work_ns("layer", (i, parts), tokens) for i in range(parts)) == whole


def test_host_work_has_a_fixed_part_and_one_for_each_row():
    cost = CostModel(host_ns={"read": 5}, host_ns_per_row={"read": 2, "stream": 1})
    assert [cost.host_work_ns(name, 10) for name in ("read", "stream", "wait")] == [25, 10, 0]


def test_a_step_costs_what_its_parts_cost():
    cost = CostModel(host_ns={"read": 5, "stream": 7}, kernel_ns={"layer": 11, "head": 2})
    assert (cost.host_step_ns, cost.gpu_step_ns) == (12, 13)


@pytest.mark.parametrize(
    ("name", "host_ms", "gpu_ms"), [("worked-2-6", 2, 6), ("worked-8-6", 8, 6)]
)
def test_a_worked_example_costs_what_its_name_says(name, host_ms, gpu_ms):
    cost = COSTS[name]
    assert (cost.host_step_ns, cost.gpu_step_ns) == (host_ms * 10**6, gpu_ms * 10**6)
    assert cost.h2d_ns == cost.d2h_ns == cost.launch_ns == cost.event_ns == 0


# --------------------------------------------------------------------- jitter


@given(st.floats(0, 100), st.integers(), duration)
def test_jitter_stays_within_its_percentage_and_whole(percent, seed, work_ns):
    jittered = Jitter(percent, seed).apply(work_ns)
    assert type(jittered) is int
    assert abs(jittered - work_ns) <= work_ns * percent / 100 + 1
    assert jittered >= 0


def test_no_jitter_changes_nothing():
    assert [Jitter(0, seed).apply(12_345) for seed in range(3)] == [12_345] * 3


def test_jitter_is_decided_by_its_seed():
    def draws(seed):
        jitter = Jitter(30, seed)
        return [jitter.apply(10**6) for _ in range(5)]

    assert draws(1) == draws(1) != draws(2)


def test_a_byte_order_mark_is_no_part_of_a_file(tmp_path):
    path = tmp_path / "cost.json"
    path.write_text(dump_cost(COSTS["small-gpu"]), encoding="utf-8-sig")
    assert path.read_bytes().startswith(b"\xef\xbb\xbf")
    assert load_cost(str(path)) == COSTS["small-gpu"]
