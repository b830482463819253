"""Memory pressure: small random workloads in which requests share beginnings, are preempted,
swapped and cancelled. Whatever happens to them, what is not cancelled says the same as in the
synchronous engine, and as the prompt alone.
"""

from collections import Counter
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from engine import configure, execute
from engine.kv.pool import blocks_for
from engine.model.corpus import prompts
from engine.model.tokenizer import encode
from engine.workloads.workload import Prompt, Workload
from tests.engine.test_random_runs import MS, alone, costs

PROMPTS = tuple(text[:9] for text in prompts(7, 6))
COMMON = "In the town "
SEEN: Counter[str] = Counter()

requests = st.lists(
    st.tuples(
        st.sampled_from(PROMPTS), st.booleans(), st.integers(4, 30),
        st.sampled_from([0, 0, 0, 2, 5, 9]), st.sampled_from([0, 0, 0, 0, 0, 1, 7, 14]),
    ),
    min_size=3, max_size=6,
)  # fmt: skip


@st.composite
def workloads(draw):
    listed = [
        Prompt(COMMON * shared + text, length, f"q{i}", step, cancel_step=cancel)
        for i, (text, shared, length, step, cancel) in enumerate(draw(requests))
    ]
    batch, block_size = draw(st.integers(2, 5)), draw(st.sampled_from([2, 4, 8]))
    needed = max(
        blocks_for(len(encode(p.prompt)) + p.max_new_tokens, block_size) for p in listed
    )  # fmt: skip
    return Workload(
        batch=batch,
        max_batched_tokens=draw(st.integers(batch, batch + 8)),
        block_size=block_size,
        kv_blocks=draw(st.integers(needed, needed + needed // 2)),
        requests=tuple(listed),
        prefix_cache=draw(st.booleans()),
        admission=draw(st.sampled_from(["on-demand", "on-demand", "on-demand", "full"])),
        preemption=draw(st.sampled_from(["recompute", "swap"])),
        window=draw(st.sampled_from([0, 0, 7, 24])),
    )


toggles = st.fixed_dictionaries(
    {
        "depth": st.sampled_from(["2", "3", "4"]),
        "device_slots": st.sampled_from(["1", "2", "3", "5"]),
        "host_slots": st.sampled_from(["1", "2", "3", "5"]),
        "streams": st.sampled_from(["three", "three", "two-copies", "two-h2d", "one", "default"]),
        "reserve": st.sampled_from(["ignores", "ignores", "counts-in-flight"]),
        "carry": st.sampled_from(["select", "add", "host"]),
    }
)


swap_costs = st.builds(
    lambda cost, ns: replace(cost, kv_block_ns=ns), costs, st.integers(0, 2 * MS)
)


def count_features(result):
    """Which mechanisms this run made use of."""
    parts = result.parts
    SEEN.update(
        runs=1,
        preempted=parts.scheduler.preemption.count > 0,
        swapped=any(op.name == "h2d layer 0" for op in result.device.log),
        cancelled=any(request.cancelled for request in result.requests),
        cut_off=any(request.cancelled and request.scheduled for request in result.requests),
        called_off=any(request.called_off for request in result.requests),
        shared=parts.scheduler.blocks.reused > 0,
        slid=result.config.workload.window > 0,
    )


def check_against_prompts_alone(result, workload):
    prompt_of = {prompt.id: prompt for prompt in workload.requests}
    assert {request.id for request in result.requests} == set(prompt_of)
    for request in result.requests:
        prompt = prompt_of[request.id]
        expected = alone(prompt.prompt)[: prompt.max_new_tokens]
        assert tuple(request.tokens) == expected[: len(request.tokens)]
        assert request.cancelled or len(request.tokens) == len(expected)


@settings(max_examples=settings.default.max_examples * 2)  # rare things have to happen, too
@given(workloads(), swap_costs, toggles, st.integers(0, 30), st.integers(0, 2**16))
def check_under_pressure(workload, cost, chosen, jitter, seed):
    made = {"cost": cost, "workload": workload, "seed": seed, "jitter": jitter}
    result = execute(configure("async", set=chosen, **made))
    assert result.invariants == []
    assert result.hazards == []
    count_features(result)
    if workload.window:  # what lies outside of it is seen by the prompt alone
        assert result.token_diff.count == 0
    else:
        check_against_prompts_alone(result, workload)


def test_under_pressure_nothing_is_lost_doubled_or_mixed_up():
    check_under_pressure()
    assert all(count >= SEEN["runs"] / 20 for count in SEEN.values()), SEEN
