"""Workloads: the presets, the requests they make, JSON there and back, and each refusal."""

import itertools
import json
from dataclasses import fields, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.kv import blocks_for
from engine.tokenizer import encode
from engine.workload import (
    PRESETS,
    Prompt,
    Workload,
    WorkloadError,
    dump_workload,
    load_workload,
    workload_from_dict,
)

text = st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cs")), max_size=12)
listed = st.lists(
    st.builds(Prompt, text, st.integers(1, 100_000), st.just(""), st.integers(0, 50)), max_size=4
).map(tuple)
lengths = st.tuples(st.integers(1, 99), st.integers(1, 99)).map(sorted)
workloads = st.builds(
    lambda low_high, **values: Workload(shortest=low_high[0], longest=low_high[1], **values),
    lengths,
    name=text,
    about=text,
    batch=st.integers(1, 64),
    max_batched_tokens=st.integers(64, 4096),
    block_size=st.integers(1, 256),
    kv_blocks=st.integers(1, 100_000),
    requests=listed,
    count=st.integers(1, 1000),
    spread=st.integers(0, 1000),
    near_end=st.integers(0, 100),
    temperature=st.floats(0, 10),
    top_k=st.integers(0, 256),
    top_p=st.floats(0, 1),
)


@given(workloads)
def test_a_workload_survives_json(workload):
    assert workload_from_dict(json.loads(dump_workload(workload))) == workload


@pytest.mark.parametrize("name", PRESETS)
def test_every_preset_survives_a_file(name, tmp_path):
    path = tmp_path / "w.json"
    path.write_text(dump_workload(PRESETS[name]))
    assert load_workload(str(path)) == load_workload(name) == PRESETS[name]


def test_a_file_without_a_name_is_called_after_itself(tmp_path):
    path = tmp_path / "mine.json"
    path.write_text('{"batch": 3}')
    assert load_workload(str(path)) == Workload(name="mine", batch=3)


# ------------------------------------------------------------------- refusals

REFUSED = {
    "a workload is a JSON object": [],
    "unknown workload entry 'bach'": {"bach": 3},
    "'batch' has the wrong type": {"batch": "8"},
    "'count' has the wrong type": {"count": True},
    "'temperature' has the wrong type": {"temperature": None},
    "'requests' must be a list": {"requests": "hello"},
    "each request needs a prompt": {"requests": [{"prompt": "a"}]},
    "each request needs a prompt and": {"requests": ["a"]},
    "unknown workload entry 'pompt'": {
        "requests": [{"prompt": "a", "pompt": "b", "max_new_tokens": 1}]
    },
    "'prompt' has the wrong type": {"requests": [{"prompt": 5, "max_new_tokens": 1}]},
    "max_new_tokens must be 1 to": {"requests": [{"prompt": "a", "max_new_tokens": 0}]},
    "arrival_step not negative": {
        "requests": [{"prompt": "a", "max_new_tokens": 1, "arrival_step": -1}]
    },
    "control character U+0003": {"requests": [{"prompt": "a\x03", "max_new_tokens": 1}]},
    "half of a surrogate pair": {"requests": [{"prompt": "\ud800", "max_new_tokens": 1}]},
    "two requests are called 'r1'": {
        "requests": [
            {"prompt": "a", "max_new_tokens": 1, "id": "r1"},
            {"prompt": "b", "max_new_tokens": 1},
        ]
    },
}


@pytest.mark.parametrize("sentence", REFUSED)
def test_a_workload_that_makes_no_sense_is_refused_in_a_sentence(sentence):
    with pytest.raises(WorkloadError) as refusal:
        workload_from_dict(REFUSED[sentence])
    assert sentence in str(refusal.value)
    assert "\n" not in str(refusal.value)


OUT_OF_RANGE = {
    "batch": [0, 257],
    "max_batched_tokens": [7, 4097],
    "block_size": [0, 257],
    "kv_blocks": [0, 100_001],
    "count": [0, 100_001],
    "shortest": [0, 113],
    "longest": [0, 100_001],
    "spread": [-1, 1001],
    "clients": [-1, 1001],
    "near_end": [-1, 101],
    "temperature": [-0.1, 10.5, float("nan"), float("inf")],
    "top_k": [-1, 257],
    "top_p": [-0.1, 1.1, float("nan")],
}


def test_every_number_of_a_workload_has_its_limits():
    numbers = {f.name for f in fields(Workload) if isinstance(f.default, int | float)}
    assert numbers == set(OUT_OF_RANGE)


@pytest.mark.parametrize(("key", "value"), [(k, v) for k, vs in OUT_OF_RANGE.items() for v in vs])
def test_a_number_out_of_range_is_refused_by_name(key, value):
    with pytest.raises(WorkloadError, match=r"workload entry '\w+' must lie between"):
        workload_from_dict({key: value})


@pytest.mark.parametrize("source", ["no such thing", "x" * 5000, "", "\0", "."])
def test_a_name_that_is_neither_preset_nor_file_is_refused(source):
    with pytest.raises(WorkloadError, match="use one of chat, churn"):
        load_workload(source)


@pytest.mark.parametrize(
    "content", [b"", b"{", b"\xff\xfe", b"[" * 100_000, b'{"batch": ' + b"9" * 5000 + b"}"]
)
def test_a_file_that_is_no_json_is_refused(content, tmp_path):
    path = tmp_path / "w.json"
    path.write_bytes(content)
    with pytest.raises(WorkloadError, match="not a readable JSON file"):
        load_workload(str(path))


# ------------------------------------------------------------------- requests


def ids(workload, count=None, endless=False, most=200):
    return [r.id for r in itertools.islice(workload.requests_for(0, count, endless), most)]


@pytest.mark.parametrize(
    ("count", "endless", "expected"),
    [(None, False, 16), (5, False, 5), (40, False, 40), (5, True, 5), (None, True, 200)],
)
def test_a_generated_workload_is_as_long_as_asked(count, endless, expected):
    assert ids(Workload(), count, endless) == [f"r{i}" for i in range(expected)]


@pytest.mark.parametrize(("count", "expected"), [(None, 3), (2, 2), (9, 3)])
def test_a_listed_workload_has_the_requests_it_lists(count, expected):
    workload = Workload(requests=(Prompt("a", 1), Prompt("b", 2, "mine", 4), Prompt("c", 3)))
    requests = list(workload.requests_for(0, count, endless=True))
    assert [r.id for r in requests] == ["r0", "r2", "mine"][:expected]
    second = requests[1]
    assert (second.prompt, second.max_new_tokens, second.arrival_step) == (encode("c"), 3, 0)


def test_generated_requests_keep_to_their_lengths_and_arrivals():
    workload = replace(PRESETS["chat"], shortest=5, longest=9, spread=3)
    requests = list(workload.requests_for(7, 60, endless=False))
    assert {r.max_new_tokens for r in requests} == set(range(5, 10))
    assert [r.arrival_step for r in requests] == [3 * i for i in range(60)]


def test_a_seed_decides_the_requests():
    def made(seed):
        requests = PRESETS["churn"].requests_for(seed, None, endless=False)
        return [(r.prompt, r.max_new_tokens, r.seed) for r in requests]

    assert made(1) == made(1) != made(2)
    assert len({seed for _, _, seed in made(1) + made(2)}) == 2 * PRESETS["churn"].count


def test_a_request_that_can_never_fit_is_refused():
    workload = Workload(requests=(Prompt("abc", 30),), kv_blocks=2, block_size=16)
    with pytest.raises(WorkloadError, match="r0 needs 3 KV blocks and the pool has 2"):
        list(workload.requests_for(0, None, endless=False))


@given(st.sampled_from(sorted(PRESETS)), st.integers(1, 256))
def test_another_batch_size_keeps_the_workload_runnable(name, batch):
    workload = PRESETS[name].with_batch(batch)
    assert workload.batch == batch <= workload.max_batched_tokens
    if batch >= PRESETS[name].batch:
        longest = blocks_for(64 + workload.longest, workload.block_size)
        assert workload.kv_blocks >= min(batch, workload.count) * longest
