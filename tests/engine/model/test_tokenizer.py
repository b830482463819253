"""Bytes to ids and back. Run: pytest tests/engine/model/test_tokenizer.py"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.model.tokenizer import BOS, EOS, PLACEHOLDER, VOCAB, decode, encode

printable = st.text(st.characters(exclude_categories=["Cc", "Cs"]))


@given(printable)
def test_any_text_comes_back_as_it_went_in(text):
    assert decode([*encode(text), EOS]) == text


@given(printable)
def test_ids_start_with_bos_and_hold_no_other_marker(text):
    first, *rest = encode(text)
    assert first == BOS
    assert all(0 < token < VOCAB and token not in (BOS, EOS, PLACEHOLDER) for token in rest)


def test_line_breaks_and_tabs_are_text():
    assert decode(encode("a\tb\nc")) == "a\tb\nc"


@pytest.mark.parametrize("marker", [PLACEHOLDER, BOS, EOS])
def test_a_marker_in_the_text_is_refused_with_its_code_point(marker):
    with pytest.raises(ValueError, match=f"U\\+{marker:04X}.*remove it"):
        encode(f"a{chr(marker)}b")


def test_half_a_surrogate_pair_is_refused_with_its_place():
    with pytest.raises(ValueError, match="character 2 is half of a surrogate pair"):
        encode("a\ud800")


@pytest.mark.parametrize(
    ("ids", "shown"),
    [
        ([], ""),
        ([EOS], ""),
        ([BOS], ""),
        ([97, PLACEHOLDER, 98], "a\u2400b"),
        ([97, EOS, 98, EOS], "a\u2403b"),
        ([BOS, 97, BOS], "a\u2402"),
        ([97, 0xFF, 98], "a\ufffdb"),
    ],
)
def test_what_should_not_be_in_a_text_is_shown_and_closing_markers_are_not(ids, shown):
    assert decode(ids) == shown


@pytest.mark.parametrize("token", [-1, VOCAB])
def test_an_id_that_is_no_byte_is_refused(token):
    with pytest.raises(ValueError, match="between 0 and 255"):
        decode([token])
