"""Names from files are shown as text, wherever they appear."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lab.escape import for_html, for_markdown, for_plotly, one_line, sentence_for_markdown
from lab.inspect.inspection import Inspection
from lab.inspect.verdict import verdict
from lab.picture.gantt import Panel, draw
from lab.picture.lanes import make_lanes
from lab.timeline.tokens import marked
from tests.lab.samples import HOSTILE, profiler_trace
from traces import find_gaps, idle_stretches


def test_no_markup_survives_in_a_timeline() -> None:
    trace = profiler_trace(HOSTILE, spans=3)
    gaps = find_gaps(trace)
    figure = draw(
        [Panel(HOSTILE, trace, gaps, make_lanes(trace, idle_stretches(trace)))], (0, 450_000)
    ).figure
    texts = [text for bar in figure["data"] for text in bar.get("hovertext", [])]
    texts += [text for bar in figure["data"] for text in bar.get("text", [])]
    texts += [note["text"] for note in figure["layout"]["annotations"]]
    assert any("&lt;b&gt;x&lt;/b&gt;" in text for text in texts)
    for text in texts:
        assert "<b>x" not in text and "$" not in text and "\u202e" not in text


@pytest.mark.parametrize("mark", list("\\`*_{}[]()<>#+-.!|$~:&"))
def test_markdown_marks_are_escaped(mark: str) -> None:
    assert for_markdown(f"a{mark}b") == f"a\\{mark}b"


def test_what_a_sentence_quotes_is_code_and_the_rest_is_escaped() -> None:
    told = sentence_for_markdown("run `nsys export --type sqlite -o out.sqlite` (a *newer* one).")
    assert told == r"run `nsys export --type sqlite -o out.sqlite` \(a \*newer\* one\)\."


@pytest.mark.parametrize(
    "text", ["a`b", "`a``b`", "``a``", "```\n# x", "`a" + "x" * 99 + "`", "`", "``", "*`*", "a\\`b"]
)
def test_backticks_that_quote_nothing_are_escaped(text: str) -> None:
    told = sentence_for_markdown(text, 20)
    assert told == for_markdown(text, 20) and "\n" not in told


@given(st.text("`*$<[a\\ \n:", max_size=12))
def test_outside_of_its_quotes_a_sentence_is_escaped_like_a_name(text: str) -> None:
    told = sentence_for_markdown(text)
    outside = re.sub(r"(?<![`\\])`[^`]+`(?!`)", "", told)
    assert not re.search(r"(?<!\\)(?:\\\\)*[`*$<\[:]", outside)


@pytest.mark.parametrize("address", ["http://e.x", "HTTPS://e.x/y", "www.e.x", "WWW.e.x", "a@e.x"])
def test_addresses_are_parted_so_that_they_make_no_link(address: str) -> None:
    parted = for_markdown(address).replace("\\", "")
    assert parted != address and parted.replace("\u2060", "") == address


def test_long_names_are_cut_and_control_characters_removed() -> None:
    assert one_line("a\x00b\u202ec\nd") == "a b c d"
    assert len(one_line("x" * 500, 80)) == 80
    assert for_plotly("x" * 500, 10) == "x" * 9 + "…"


def test_html_is_escaped() -> None:
    assert for_html('<img src="x">') == "&lt;img src=&quot;x&quot;&gt;"
    assert "<script>" not in marked(list(b"<script>"), [0, 1, 2])


def test_a_hostile_file_stays_harmless_in_the_verdict() -> None:
    inspection = Inspection(profiler_trace(HOSTILE, spans=3), HOSTILE, "key")
    assert verdict(inspection).startswith("GPU 0 idle 25.0 % of 400 µs")
    assert HOSTILE not in verdict(inspection)
    assert inspection.warnings == [HOSTILE]
