"""Where a sequence begins anew: the rarest word at even distance, never the shortest pattern."""

from hypothesis import given
from hypothesis import strategies as st

from traces.repetition import MIN_REPEATS, beginnings

LAYER = ["norm", "matmul", "attention", "matmul"]


@given(st.integers(MIN_REPEATS, 12), st.integers(2, 6), st.integers(0, 3))
def test_steps_are_found_though_layers_repeat_inside_them(steps, layers, cut):
    step = ["embed", *LAYER * layers, "head", "sample"]
    words = (step * steps)[: len(step) * steps - cut]
    assert beginnings(words).tolist() == list(range(0, len(step) * steps, len(step)))


def test_what_comes_before_the_first_repetition_is_left_out():
    words = ["load"] * 5 + ["embed", *LAYER, "sample"] * 4
    assert beginnings(words).tolist() == [5, 11, 17, 23]


def test_one_word_that_comes_again_and_again_is_a_step_each_time():
    assert beginnings([7, 7, 7, 7]).tolist() == [0, 1, 2, 3]


def test_a_burst_and_uneven_distances_are_no_repetition():
    others = [f"other {n}" for n in range(60)]
    assert not len(beginnings([*others, "a", "a", "a"]))
    assert not len(beginnings(["a", *others[:3], "a", *others[3:40], "a", *others[40:], "a"]))


@given(st.lists(st.sampled_from("abc"), max_size=2))
def test_too_few_words_do_not_repeat(words):
    assert not len(beginnings(words))


@given(st.lists(st.sampled_from("abcd"), max_size=40))
def test_beginnings_are_occurrences_of_one_word(words):
    found = beginnings(words).tolist()
    assert found == sorted(set(found))
    if found:
        word = words[found[0]]
        assert found == [at for at, other in enumerate(words) if other == word]
