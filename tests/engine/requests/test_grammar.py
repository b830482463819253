"""The JSON machine against Python's own reader: it lets through all JSON and nothing else."""

import json
import random
from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.model.corpus import texts
from engine.model.tokenizer import BOS, EOS, PLACEHOLDER
from engine.requests.grammar import MOST_NESTED, START, advance, may_end, next_bytes, read

numbers = st.integers() | st.floats(allow_nan=False, allow_infinity=False)
values = st.recursive(
    st.none() | st.booleans() | numbers | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
bits = st.text(
    alphabet='{}[]",:\\/ \n\t01-+.eEtrufalsnd\x00\x1f\u00e9\ud7ff\U0010ffff', max_size=12
)


def whole(data):
    state = read(data)
    return state is not None and may_end(state)


def parses(data):
    try:
        json.loads(data.decode("utf-8"), parse_constant=pytest.fail)
    except (ValueError, pytest.fail.Exception):
        return False
    return True


def walk(rng, steps):
    """Some bytes that the machine allows one after the other; ends early where it may."""
    state, data = START, b""
    while len(data) < steps or not may_end(state):
        options = next_bytes(state)
        closing = [byte for byte in options if byte in b'}]"0123456789:eul'] or list(options)
        if may_end(state) and (not options or len(data) >= steps):
            break
        byte = rng.choice(list(options) if len(data) < steps else closing)
        state, data = advance(state, byte), data + bytes([byte])
    return data


@given(values, st.booleans(), st.sampled_from([None, 0, 2]))
def test_whatever_python_writes_is_accepted(value, ascii_only, indent):
    data = json.dumps(value, ensure_ascii=ascii_only, indent=indent, allow_nan=False)
    try:
        encoded = data.encode("utf-8")
    except UnicodeEncodeError:  # half of a surrogate pair is no UTF-8
        return
    assert whole(encoded)


@given(st.integers(0, 2**32), st.integers(0, 60))
def test_every_path_to_an_end_is_read_by_python(seed, steps):
    data = walk(random.Random(seed), steps)
    json.loads(data.decode("utf-8"))


@given(bits)
def test_it_accepts_what_python_accepts_and_nothing_else(text):
    data = text.encode("utf-8", "surrogatepass")
    assert whole(data) == (parses(data) and data == data.rstrip())


@given(values, st.data())
def test_a_byte_that_is_not_offered_makes_every_ending_illegal(value, data):
    text = json.dumps(value).encode()
    cut = data.draw(st.integers(0, len(text)))
    state = read(text[:cut])
    byte = data.draw(st.integers(0, 255))
    if byte not in next_bytes(state) and not (may_end(state) and byte in b" \t\n\r"):
        assert read(text[:cut] + bytes([byte])) is None
        assert not parses(text[:cut] + bytes([byte]) + text[cut:])


@given(st.binary(max_size=4))
def test_only_utf_8_stands_in_strings(data):
    try:
        legal = all(char >= " " and char not in '"\\' for char in data.decode("utf-8"))
    except UnicodeDecodeError:
        legal = False
    assert whole(b'"' + data + b'"') == legal


def test_every_record_of_the_corpus_is_accepted():
    records = [text for text in islice(texts(3), 400) if text.startswith("{")]
    assert len(records) > 50
    assert all(whole(record.encode()) for record in records)


def test_no_marker_is_ever_a_byte_of_json():
    for text in (b"", b'{"a', b'{"a": ', b"[1", b'["x", {"y": [tr'):
        assert not {PLACEHOLDER, BOS, EOS} & set(next_bytes(read(text)))


def test_a_whole_value_can_only_end():
    for text in (b"{}", b'"x"', b"true", b'[1, {"a": null}]'):
        assert may_end(read(text))
        assert next_bytes(read(text)) == b""


def test_nesting_has_a_bound():
    deepest = read(b"[" * MOST_NESTED)
    assert {ord("["), ord("{")} & set(next_bytes(deepest)) == set()
    assert whole(b"[" * MOST_NESTED + b"]" * MOST_NESTED)
