"""Random workloads and cost models: correct modes never differ from the synchronous engine,
and the synchronous engine never differs from decoding each prompt alone.

50 examples in the normal suite, 500 with `--slow`, many more with `--long`; split over several
tests, so that the workers share them.
"""

import random
from functools import lru_cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import configure, execute
from engine.device.cost import CostModel
from engine.model.corpus import prompts
from engine.model.decoder import load_model
from engine.model.reference import decode
from engine.model.tokenizer import encode
from engine.workloads.workload import Prompt, Workload

PROMPTS = tuple(prompts(7, 24))
LONGEST = 40
MOST_LATE = 3
"""Late rows of a request at depth 4."""
MS = 1_000_000

durations = st.integers(0, 12 * MS)
costs = st.builds(
    lambda host, kernels, h2d, d2h, launch, chunks, engines: CostModel(
        host_ns=dict(zip(("schedule", "allocate", "update inputs", "read", "update state",
                          "stream", "repeat"), host, strict=True)),
        kernel_ns=dict(zip(("carry", "embed", "layer", "head", "sample"), kernels, strict=True)),
        h2d_ns=h2d, d2h_ns=d2h, launch_ns=launch, event_ns=launch // 5,
        chunks=chunks, copy_engines=engines,
    ),
    st.lists(durations, min_size=7, max_size=7),
    st.lists(durations, min_size=5, max_size=5),
    durations, durations, st.integers(0, 50_000), st.integers(1, 5), st.sampled_from([1, 2]),
)  # fmt: skip

requests = st.lists(
    st.tuples(st.sampled_from(PROMPTS), st.integers(1, LONGEST), st.integers(0, 12)),
    min_size=1, max_size=9,
)  # fmt: skip


@st.composite
def workloads(draw):
    listed = draw(requests)
    batch = draw(st.integers(1, 5))
    block_size = draw(st.sampled_from([1, 4, 16]))
    positions = max(len(encode(text)) + length for text, length, _ in listed)
    needed = -(-(positions + MOST_LATE) // block_size)
    return Workload(
        batch=batch,
        max_batched_tokens=draw(st.integers(batch, batch + 40)),
        block_size=block_size,
        kv_blocks=draw(st.integers(needed, needed * batch + 3)),
        requests=tuple(
            Prompt(text, length, f"q{i}", step) for i, (text, length, step) in enumerate(listed)
        ),
    )


toggles = st.fixed_dictionaries(
    {
        "depth": st.sampled_from(["2", "3", "4"]),
        "device_slots": st.sampled_from(["1", "2", "3", "5"]),
        "host_slots": st.sampled_from(["1", "2", "3", "5"]),
        "streams": st.sampled_from(
            ["three", "two-copies", "two-h2d", "two-d2h", "one", "default", "d2h-default"]
        ),
        "stream_kind": st.sampled_from(["non-blocking", "blocking"]),
        "memory": st.sampled_from(["pinned", "pageable"]),
        "carry": st.sampled_from(["select", "add", "host"]),
        "sampling": st.sampled_from(["device", "device", "host"]),
        "sync_d2h": st.sampled_from(["event", "device"]),
        "batching": st.sampled_from(["continuous", "continuous", "static"]),
        "output_memory": st.sampled_from(["static", "temporary"]),
        "eos_policy": st.sampled_from(["discard", "remove", "mask", "cap"]),
        "length_check": st.sampled_from(["ahead", "late"]),
        "loop": st.sampled_from(["pipelined", "ready-queue"]),
    }
)
graphs = st.sampled_from(
    [
        {},
        {"graphs": "shared"},
        {"graphs": "private", "graph_output": "inside"},
        {"graphs": "private", "graph_concurrency": "at-once"},
    ]
)


@lru_cache(maxsize=64)
def alone(text):
    """The longest output of one prompt decoded alone, without cache or batching."""
    return tuple(decode(load_model(), encode(text), LONGEST))


@pytest.mark.parametrize(
    "part", [0, *(pytest.param(part, marks=pytest.mark.slow) for part in range(1, 20))]
)
def test_correct_modes_equal_sync_and_sync_equals_decoding_alone(part):
    @settings(max_examples=settings.default.max_examples // 2)
    @given(workloads(), costs, toggles, graphs, st.integers(0, 30), st.integers(0, 2**16))
    def check(workload, cost, settings, replay, jitter, seed):
        made = {"cost": cost, "workload": workload, "seed": seed * 20 + part, "jitter": jitter}
        sync = execute(configure("sync", **made))
        overlapped = execute(configure("async", set={**settings, **replay}, **made))
        for result in (sync, overlapped):
            assert result.invariants == []
            assert result.hazards == []
            tokens = {request.id: tuple(request.tokens) for request in result.requests}
            assert tokens == {
                spec.id: alone(spec.prompt)[: spec.max_new_tokens] for spec in workload.requests
            }

    check()


def test_sampled_text_is_the_same_whatever_the_order_of_work():
    chooser = random.Random(3)
    for seed in range(4):
        made = {"workload": "sampled", "seed": seed, "requests": 8}
        depth = str(chooser.choice([2, 3, 4]))
        slots = {"device_slots": depth, "host_slots": depth}
        sync = execute(configure("sync", **made))
        assert (
            execute(configure("async", set={"depth": depth, **slots}, **made)).texts == sync.texts
        )
