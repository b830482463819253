"""The table's letters become words, and each value gets its own clauses."""

import re

import pytest

from engine.mechanisms.table import BY_NAME, TABLE
from engine.mechanisms.words import LETTERS, in_words, letters_in, protects_of, wrong_of


@pytest.mark.parametrize(
    ("shorthand", "words"),
    [
        ("T H(RAW device inputs)", "wrong tokens, a hazard (read after write on device inputs)"),
        ("T (tokens missing) I", "wrong tokens (tokens missing), a broken invariant"),
        ("G, D2H bytes", "a gap, D2H bytes"),
        ("M, and cancels take effect late", f"{LETTERS['M']}, and cancels take effect late"),
    ],
)
def test_letters_are_spelled_out(shorthand, words):
    assert in_words(shorthand) == words


@pytest.mark.parametrize("info", TABLE, ids=lambda info: info.name)
def test_no_letter_is_left_in_any_row_of_the_table(info):
    words = in_words(info.seen_when_wrong)
    assert not re.search(r"\b[THGIME]\b|\bRAW\b|\bWAR\b|\bWAW\b|\bUAF\b", words)
    for letter in letters_in(info.seen_when_wrong):
        assert LETTERS[letter] in words


def test_a_value_gets_its_own_clause_and_those_that_name_no_value():
    assert wrong_of(BY_NAME["sync_d2h"], "device") == "G"
    assert wrong_of(BY_NAME["sync_d2h"], "off") == "T H(RAW host outputs)"
    assert wrong_of(BY_NAME["wait_h2d"], "off") == "T H(RAW device inputs)"
    assert wrong_of(BY_NAME["carry"], "add") == ""


def test_what_is_protected_tells_of_the_value_at_hand_and_of_no_other():
    text = protects_of(BY_NAME["carry"], "none")
    assert text.startswith("The token a request needs is still on the device: a mask picks it")
    assert text.endswith("none: the placeholder is used as the token.")
    assert "add-stale" not in text
