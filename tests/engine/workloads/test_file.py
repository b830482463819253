"""Workloads as JSON: there and back, and each refusal."""

import json
import math
from dataclasses import fields

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.requests.grammar import read
from engine.requests.rules import GRAMMARS
from engine.workloads.arrivals import ARRIVALS
from engine.workloads.file import dump_workload, load_workload, workload_from_dict
from engine.workloads.presets import WORKLOADS
from engine.workloads.workload import Prompt, Workload, WorkloadError

text = st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cs")), max_size=12)
listed = st.lists(
    st.builds(Prompt, text, st.integers(1, 100_000), st.just(""), st.integers(0, 50)), max_size=4
).map(tuple)
lengths = st.tuples(st.integers(1, 99), st.integers(1, 99)).map(sorted)


def built(low_high, prompt_range, **values):
    shortest, longest = low_high
    low, high = prompt_range
    return Workload(
        shortest=shortest, longest=longest, prompt_shortest=low, prompt_longest=high, **values
    )


EVERY_FIELD = {
    "name": text,
    "about": text,
    "batch": st.integers(1, 64),
    "max_batched_tokens": st.integers(576, 4096),
    "block_size": st.integers(1, 256),
    "kv_blocks": st.integers(1, 100_000),
    "requests": listed,
    "count": st.integers(1, 1000),
    "arrivals": st.sampled_from(ARRIVALS),
    "spread": st.integers(0, 1000),
    "burst": st.integers(1, 1000),
    "clients": st.integers(0, 1000),
    "near_end": st.integers(0, 100),
    "temperature": st.floats(0, 10),
    "top_k": st.integers(0, 256),
    "top_p": st.floats(0, 1),
    "speculate": st.integers(0, 8),
    "acceptance": st.integers(0, 100),
    "prefix_cache": st.booleans(),
    "shared_prefix": st.integers(0, 4096),
    "admission": st.sampled_from(["full", "on-demand"]),
    "preemption": st.sampled_from(["recompute", "swap"]),
    "window": st.integers(0, 100_000),
    "cancels": st.integers(0, 100),
    "fault_step": st.integers(0, 1_000_000),
    "grammar": st.sampled_from(GRAMMARS),
    "stop": st.lists(text.filter(bool), max_size=2).map(tuple),
    "presence": st.floats(-100, 100),
    "frequency": st.floats(-100, 100),
    "repetition": st.floats(0.01, 100),
}
workloads = st.builds(built, lengths, st.just([0, 0]) | lengths, **EVERY_FIELD)


def test_every_field_goes_through_json():
    ranges = {"shortest", "longest", "prompt_shortest", "prompt_longest"}
    assert {f.name for f in fields(Workload)} == ranges | set(EVERY_FIELD)


@given(workloads)
def test_a_workload_survives_json(workload):
    assert workload_from_dict(json.loads(dump_workload(workload))) == workload


@pytest.mark.parametrize("name", WORKLOADS)
def test_every_preset_survives_a_file(name, tmp_path):
    path = tmp_path / "w.json"
    path.write_text(dump_workload(WORKLOADS[name]))
    assert load_workload(str(path)) == load_workload(name) == WORKLOADS[name]


def test_a_file_without_a_name_is_called_after_itself(tmp_path):
    path = tmp_path / "mine.json"
    path.write_text('{"batch": 3}')
    assert load_workload(str(path)) == Workload(name="mine", batch=3)


def test_a_byte_order_mark_is_no_part_of_a_file(tmp_path):
    path = tmp_path / "w.json"
    path.write_text(dump_workload(WORKLOADS["chat-bursts"]), encoding="utf-8-sig")
    assert path.read_bytes().startswith(b"\xef\xbb\xbf")
    assert load_workload(str(path)) == WORKLOADS["chat-bursts"]


# ------------------------------------------------------------------- refusals

REFUSED = {
    "a workload is a JSON object": [],
    "unknown workload entry 'bach'": {"bach": 3},
    "'batch' has the wrong type": {"batch": "8"},
    "'count' has the wrong type": {"count": True},
    "'temperature' has the wrong type": {"temperature": None},
    "'prefix_cache' has the wrong type": {"prefix_cache": 1},
    "'admission' must be full or on-demand": {"admission": "never"},
    "'preemption' must be recompute or swap": {"preemption": ""},
    "cancel_step must not be negative": {
        "requests": [{"prompt": "a", "max_new_tokens": 1, "cancel_step": -1}]
    },
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
    "'arrivals' must be even or poisson, not 'never'": {"arrivals": "never"},
    "'arrivals' has the wrong type": {"arrivals": 3},
    "'prompt_shortest' must lie between 1 and 9": {"prompt_longest": 9},
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
    "burst": [0, 1001],
    "prompt_shortest": [-1, 1],
    "prompt_longest": [-1, 100_001],
    "clients": [-1, 1001],
    "shared_prefix": [-1, 4097],
    "window": [-1, 100_001],
    "cancels": [-1, 101],
    "fault_step": [-1, 1_000_001],
    "near_end": [-1, 101],
    "temperature": [-0.1, 10.5, float("nan"), float("inf")],
    "top_k": [-1, 257],
    "top_p": [-0.1, 1.1, float("nan")],
    "speculate": [-1, 9],
    "acceptance": [-1, 101],
    "presence": [-101, 101],
    "frequency": [-101, 101, float("nan")],
    "repetition": [0, 101, float("nan")],
}


def test_every_number_of_a_workload_has_its_limits():
    numbers = {f.name for f in fields(Workload) if type(f.default) in (int, float)}
    assert numbers == set(OUT_OF_RANGE)


@pytest.mark.parametrize(("key", "value"), [(k, v) for k, vs in OUT_OF_RANGE.items() for v in vs])
def test_a_number_out_of_range_is_refused_by_name(key, value):
    with pytest.raises(WorkloadError, match=r"workload entry '\w+' must lie between"):
        workload_from_dict({key: value})


@pytest.mark.parametrize("source", ["no such thing", "x" * 5000, "", "\0", "."])
def test_a_name_that_is_neither_preset_nor_file_is_refused(source):
    with pytest.raises(WorkloadError, match="use one of chat, chat-poisson"):
        load_workload(source)


@pytest.mark.parametrize(
    "content", [b"", b"{", b"\xff\xfe", b"[" * 100_000, b'{"batch": ' + b"9" * 5000 + b"}"]
)
def test_a_file_that_is_no_json_is_refused(content, tmp_path):
    path = tmp_path / "w.json"
    path.write_bytes(content)
    with pytest.raises(WorkloadError, match="not a readable JSON file"):
        load_workload(str(path))


RULED = Workload(
    name="custom",
    requests=(
        Prompt('{"a": ', 9, "json", grammar="json", stop=("}", "\n\n"), presence=0.5),
        Prompt("Pia", 9, "free", frequency=-1.0, repetition=1.5),
    ),
    stop=(". ",),
    presence=2.0,
)


def test_rules_survive_json():
    assert workload_from_dict(json.loads(dump_workload(RULED))) == RULED


def test_a_listed_request_has_its_own_rules_and_a_generated_one_those_of_the_workload():
    bound, free = RULED.requests_for(1, None, endless=False)
    assert (bound.rules.grammar, bound.rules.stop, free.rules.stop) == ("json", ("}", "\n\n"), ())
    generated = list(Workload(grammar="json", stop=(". ",)).requests_for(1, 12, endless=False))
    records = [request for request in generated if request.prompt[1] == ord("{")]
    assert 0 < len(records) < 12
    assert all((request.rules.grammar == "json") == (request in records) for request in generated)
    assert all(request.rules.stop == (". ",) for request in generated)


@settings(max_examples=15)
@given(
    st.integers(0, 3),
    st.sampled_from([0, 1, 5, 40, 200]),
    st.sampled_from([0, 1, 12, 90]),
    st.sampled_from([0, 50, 100]),
)
def test_generated_prompts_that_begin_no_json_are_free_of_the_grammar(seed, shared, size, near_end):
    workload = Workload(
        grammar="json", shared_prefix=shared, near_end=near_end, prompt_longest=size,
        prompt_shortest=min(size, 1), kv_blocks=1000,
    )  # fmt: skip
    for request in workload.requests_for(seed, 12, endless=False):
        text = bytes(request.prompt[1:])
        begins = text.startswith(b"{") and read(text) is not None
        assert (request.rules.grammar == "json") == begins


@pytest.mark.parametrize(
    ("rules", "sentence"),
    [
        ({"grammar": "xml"}, "no grammar 'xml'"),
        ({"stop": [""]}, "none of them empty"),
        ({"stop": [3]}, "must be a list of strings"),
        ({"stop": "x"}, "wrong type"),
        ({"stop": ["\x03"]}, "control character"),
        ({"repetition": 0}, "'repetition' must lie between 0.01 and 100"),
        ({"presence": math.nan}, "'presence' must lie between -100 and 100"),
    ],
)
def test_a_rule_that_cannot_be_followed_is_refused(rules, sentence):
    for document in (rules, {"requests": [{"prompt": "a", "max_new_tokens": 1, **rules}]}):
        with pytest.raises(WorkloadError, match=sentence):
            workload_from_dict(document)


def test_a_prompt_that_begins_no_json_cannot_have_the_grammar():
    workload = Workload(requests=(Prompt("Pia", 9, grammar="json"),))
    with pytest.raises(WorkloadError, match="request r0 is not the beginning of a JSON text"):
        list(workload.requests_for(0, None, endless=False))
