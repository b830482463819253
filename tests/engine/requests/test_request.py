"""A request's three lengths, and how it ends."""

from engine.model.tokenizer import EOS, encode
from engine.requests.request import Request


def request(max_new_tokens):
    return Request("r", encode("ab"), max_new_tokens)


def test_a_request_ends_at_its_longest_length():
    item = request(max_new_tokens=2)
    item.commit(ord("x"), 4)
    assert not item.finished
    item.commit(ord("y"), 5)
    assert (item.finished, item.committed, item.committed_at) == (True, 2, [4, 5])


def test_a_request_ends_at_eos_which_is_no_text():
    item = request(max_new_tokens=9)
    item.commit(ord("x"), 0)
    item.commit(EOS, 1)
    assert (item.finished, item.tokens, item.text) == (True, [ord("x"), EOS], "x")


def test_a_request_wants_rows_until_its_last_token_is_scheduled():
    item = request(max_new_tokens=2)
    assert item.wants_rows
    item.in_prefill, item.scheduled = False, 1
    assert item.wants_rows
    item.scheduled = 2
    assert not item.wants_rows


def test_a_request_that_has_ended_wants_nothing():
    item = request(max_new_tokens=9)
    item.in_prefill, item.scheduled = False, 2
    item.commit(EOS, 1)
    assert not item.wants_rows
