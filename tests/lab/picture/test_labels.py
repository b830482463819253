"""Short labels stay within their length and can be told apart."""

from hypothesis import given
from hypothesis import strategies as st

from lab.picture.labels import shortened


def test_a_cut_goes_through_the_middle_and_keeps_the_end() -> None:
    threads = [f"python3.11 worker process · thread {number}" for number in (140231, 140232)]
    short = shortened(threads, 22)
    assert short[0].startswith("python3.") and short[0].endswith("thread 140231")
    assert len(set(short)) == 2


def test_where_the_middle_is_what_differs_the_common_beginning_goes() -> None:
    short = shortened([f"one long common name {n} with one common end" for n in "AB"], 22)
    assert len(set(short)) == 2 and short[0].startswith("…A")


def test_short_labels_stay_as_they_are() -> None:
    assert shortened(["host", "compute", "host"], 22) == ["host", "compute", "host"]


@given(st.lists(st.text(max_size=60), max_size=6), st.integers(8, 30))
def test_no_label_is_longer_than_asked(labels: list[str], longest: int) -> None:
    assert all(len(label) <= longest for label in shortened(labels, longest))
