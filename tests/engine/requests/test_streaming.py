"""What is shown of an output: never a part of its stop string, never half a character."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import configure, execute
from engine.model.tokenizer import decode
from engine.requests.request import Request
from engine.requests.rules import Rules
from engine.requests.streaming import showable, text_end
from engine.workloads.workload import Prompt, Workload

words = st.text(alphabet="ab\u00e9\u20ac\U0001f600", max_size=14)
stop_lists = st.lists(st.text(alphabet="ab\u00e9", min_size=1, max_size=4), max_size=3)


def first_stop(text, stops):
    """Where the text ends by definition: before the stop that is complete first."""
    for end in range(len(text) + 1):
        starts = [end - len(stop) for stop in stops if text[:end].endswith(stop)]
        if starts:
            return min(starts)
    return len(text)


def pieces(text, stops):
    """What a request streams of `text`, commit by commit, and the request."""
    data = text.encode()
    request = Request("r", [2], len(data), rules=Rules(stop=tuple(stops)))
    shown = []
    for step, byte in enumerate(data):
        if not request.finished:
            request.commit(byte, step)
            assert request.streamed <= request.streamable() <= request.committed
            shown.append(decode(request.tokens[request.streamed : request.streamable()]))
            request.streamed = request.streamable()
    return shown, request


@given(words, stop_lists)
def test_the_pieces_are_the_text_before_its_first_stop(text, stops):
    shown, request = pieces(text, stops)
    assert "".join(shown) == text[: first_stop(text, stops)] == request.text
    assert "\ufffd" not in "".join(shown)


@given(st.binary(max_size=12).map(list))
def test_cut_anywhere_the_pieces_decode_like_the_whole(tokens):
    ends = [showable(tokens[:count], ()) for count in range(1, len(tokens) + 1)]
    assert ends == sorted(ends)
    cuts = [0, *ends, len(tokens)]
    parts = [bytes(tokens[a:b]).decode("utf-8", "replace") for a, b in pairwise(cuts)]
    assert "".join(parts) == bytes(tokens).decode("utf-8", "replace")


def test_of_two_stops_that_end_together_the_longer_one_counts():
    assert text_end([*b"so, and"], ("and", ", and")) == 2
    assert text_end([*b"so, an"], ("and", ", and")) is None


def test_what_may_become_a_stop_string_is_held_back_and_let_go():
    assert showable([*b"one a"], (" and ",)) == 3
    assert showable([*b"one as"], (" and ",)) == 6


def heard(mode, workload, **options):
    """Every call of the listener, by request, and the run."""
    calls = {}
    result = execute(
        configure(mode, workload=workload, **options),
        listener=lambda request, text: calls.setdefault(request, []).append(text),
    )
    return calls, result


@pytest.mark.parametrize("depth", ["1", "2", "3", "4"])
@pytest.mark.parametrize("workload", ["stop-strings", "records"])
def test_a_listener_hears_each_text_once_and_in_order(workload, depth):
    settings = {"depth": depth, "device_slots": depth, "host_slots": depth}
    calls, result = heard("async", workload, set=settings, requests=6)
    assert {name: "".join(texts) for name, texts in calls.items()} == result.texts
    assert all(text for texts in calls.values() for text in texts)
    assert result.invariants == []


def test_a_listener_hears_only_committed_text_while_the_run_goes_on():
    committed = {}
    workload = Workload(requests=(Prompt("Pia the pilot", 20, stop=("fly",)),))

    def listen(name, text):
        committed[name] = committed.get(name, "") + text
        assert result_text.startswith(committed[name])

    result_text = execute(configure("sync", workload=workload)).texts["r0"]
    execute(configure("async", workload=workload), listener=listen)
    assert committed == {"r0": result_text}


def test_streaming_early_lets_the_beginning_of_a_stop_string_out():
    early, result = heard("streamed-early", "stop-strings")
    late, correct = heard("stops", "stop-strings")
    assert result.texts == correct.texts
    longer = [name for name in late if len("".join(early[name])) > len("".join(late[name]))]
    assert longer
    assert any("stop string" in sentence for sentence in result.invariants)
