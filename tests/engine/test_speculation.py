"""Drafts change how many tokens a step gives and never which: whatever the order of work."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import configure, execute
from engine.kv.pool import BlockPool
from engine.model.corpus import prompts
from engine.model.tokenizer import encode
from engine.results.report import run_report
from engine.workloads.file import workload_from_dict
from engine.workloads.presets import WORKLOADS
from engine.workloads.repeats import REPEATS
from engine.workloads.workload import Prompt, Workload, WorkloadError
from tests.sparing import every

TEXTS = tuple(text for text, _ in REPEATS[-4:]) + tuple(prompts(7, 8))
ALL_ACCEPTED = REPEATS[2]
SOME_ACCEPTED = REPEATS[0]

requests = st.lists(
    st.tuples(st.sampled_from(TEXTS), st.integers(1, 24), st.integers(0, 9)), min_size=1, max_size=5
)


@st.composite
def workloads(draw):
    listed, batch, k = draw(requests), draw(st.integers(1, 4)), draw(st.integers(1, 4))
    block_size = draw(st.sampled_from([1, 4, 16]))
    longest = max(len(encode(text)) + length for text, length, _ in listed)
    needed = -(-longest // block_size)
    temperature = draw(st.sampled_from([0.0, 0.0, 0.7]))
    return Workload(
        batch=batch,
        max_batched_tokens=batch * (1 + k) + draw(st.integers(16, 60)),
        block_size=block_size,
        kv_blocks=draw(st.integers(needed, needed * batch + 3)),
        requests=tuple(
            Prompt(text, length, f"q{i}", step) for i, (text, length, step) in enumerate(listed)
        ),
        temperature=temperature,
        top_k=8 if temperature else 0,
        speculate=k,
    )


changes = st.fixed_dictionaries(
    {
        "depth": st.sampled_from(["1", "2", "2", "3", "4"]),
        "device_slots": st.sampled_from(["1", "2", "3", "5"]),
        "host_slots": st.sampled_from(["1", "2", "3", "5"]),
        "carry": st.sampled_from(["select", "add", "host"]),
        "accept_length": st.sampled_from(["device", "device", "item"]),
        "rollback": st.sampled_from(["freed", "kept"]),
    }
)


@pytest.mark.parametrize("part", every(2, range(2)))
def test_tokens_are_those_of_the_synchronous_run_without_drafts(part):
    @settings(max_examples=settings().max_examples // 2)
    @given(workloads(), changes, st.integers(0, 30), st.integers(0, 2**16))
    def check(workload, changes, jitter, seed):
        made = {"seed": seed * 2 + part, "jitter": jitter}
        plain = replace(workload, speculate=0)
        truth = execute(configure("sync", workload=plain, **made)).texts
        result = execute(configure("async", set=changes, workload=workload, **made))
        assert result.texts == truth
        assert result.hazards == []
        assert result.invariants == []
        assert result.parts.pool.in_use == result.parts.pool.promised == 0
        assert all(request.drafted == 0 for request in result.requests)

    check()


def alone(prompt, length, k=4, **toggles):
    """One request by itself with drafts: the run and its figures."""
    workload = Workload(batch=1, speculate=k, requests=(Prompt(prompt, length),))
    result = execute(configure("async", set=toggles, workload=workload))
    return result, run_report(result)["speculation"]


def test_a_text_that_repeats_itself_has_every_draft_accepted():
    result, figures = alone(*ALL_ACCEPTED)
    assert figures["proposed"] == figures["accepted"] > 8
    assert result.steps < result.requests[0].committed / 2
    assert result.token_diff.count == 0


def test_some_drafts_are_accepted_and_the_others_called_off():
    result, figures = alone(*SOME_ACCEPTED)
    assert 0 < figures["accepted"] < figures["proposed"]
    request = result.requests[0]
    assert request.scheduled - request.called_off >= request.committed
    assert request.called_off > 0
    assert result.token_diff.count == 0


def test_no_draft_is_accepted_and_each_step_still_gives_a_token():
    result, figures = alone('{"owner": "Clem", "thing": "spotted lamb"}\n{"owner": "Clem", ', 8)
    assert figures["accepted"] == 0 < figures["proposed"]
    assert result.requests[0].committed == 8
    assert result.token_diff.count == 0


@pytest.mark.parametrize("depth", ["1", "3"])
def test_an_end_of_text_among_accepted_drafts_is_the_last_token(depth):
    text = '{"owner": "Tess", "thing": "velvet bookmark"}'
    for begun in range(len(text) - 6, len(text)):
        result, _ = alone(f"{text}\n{text[:begun]}", 40, depth=depth)
        assert result.token_diff.count == 0
        assert result.invariants == []


def test_drafts_save_steps():
    with_drafts = execute(configure("speculation"))
    plain = replace(WORKLOADS["drafts"], speculate=0)
    without = execute(configure("async", workload=plain))
    assert with_drafts.texts == without.texts
    assert with_drafts.steps < without.steps * 0.8


def test_blocks_of_rejected_drafts_go_back_at_once():
    kept = execute(configure("rejected-kv-kept")).parts.speculation.peak_kept
    freed = execute(configure("speculation")).parts.speculation.peak_kept
    assert kept > freed == 0


def test_reading_the_accepted_length_on_the_host_makes_what_is_scheduled_exact():
    """No row is planned past what is left, so fewer steps are sat out; the tokens are the same."""
    by_item = execute(configure("accepted-length-item"))
    on_device = execute(configure("speculation"))
    assert by_item.texts == on_device.texts
    assert by_item.steps <= on_device.steps


def test_a_timing_only_run_accepts_as_many_as_the_workload_says():
    for percent, fewest, most in ((0, 0, 0), (50, 0.15, 0.35), (100, 1, 1)):
        workload = replace(WORKLOADS["drafts"], acceptance=percent)
        runs = [
            execute(configure(mode, workload=workload, compute=False)) for mode in ("sync", "async")
        ]
        for result in runs:
            assert fewest <= run_report(result)["speculation"]["acceptance"] <= most
            assert result.invariants == result.hazards == []
            assert {r.committed for r in result.requests} == {length for _, length in REPEATS}


def test_where_the_host_samples_there_are_no_drafts():
    result = execute(configure("host-sampling", workload="drafts"))
    assert run_report(result)["speculation"] is None
    assert result.token_diff.count == 0


def test_a_run_without_drafts_has_neither_kernels_nor_figures_of_them():
    result = execute(configure("async", steps=4))
    assert {op.name for op in result.device.log}.isdisjoint({"place", "verify", "draft"})
    assert run_report(result)["speculation"] is None


def test_a_token_budget_too_small_for_the_drafts_is_told_in_one_sentence():
    with pytest.raises(WorkloadError, match="'max_batched_tokens' must lie between 20 and"):
        workload_from_dict({"batch": 4, "max_batched_tokens": 16, "speculate": 4})


def test_shrinking_gives_blocks_back_to_the_reservation():
    pool, blocks = BlockPool(8, 4), []
    pool.admit("a", 5)
    pool.grow("a", blocks, 17)
    kept = blocks[:2]
    assert len(pool.shrink("a", blocks, 2)) == 3
    assert (blocks, pool.in_use, pool.promised) == (kept, 2, 3)
    pool.grow("a", blocks, 20)
    pool.release("a", blocks)
    assert (pool.in_use, pool.promised) == (0, 0)


@pytest.mark.parametrize("name", ["records", "penalised", "stop-strings"])
@pytest.mark.parametrize("depth", ["1", "3"])
def test_grammars_penalties_and_stop_strings_see_no_difference(name, depth):
    workload = replace(WORKLOADS[name], speculate=3, count=6)
    result = execute(configure("async", set={"depth": depth}, workload=workload))
    assert result.parts.speculation.accepted > 0
    assert result.token_diff.count == 0
    assert result.invariants == result.hazards == []
