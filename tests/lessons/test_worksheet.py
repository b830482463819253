"""A worksheet has the question and the task, and none of the answers."""

import re
from html.parser import HTMLParser

import pytest

from lessons.cli import main
from lessons.lesson import LANGUAGES
from lessons.loading import lessons, text_of
from lessons.prediction import asked_scene
from lessons.scenes import quoted
from lessons.texts import plain
from lessons.timeline_form import empty_timeline
from lessons.worksheet import worksheet

LESSONS = list(lessons().values())
DIGIT = 7
"""Width of a digit at most, in the SVG's own units."""

EMPTY = {"meta", "line", "hr", "br"}


class Page(HTMLParser):
    """The text of a page, which must close what it opens."""

    def __init__(self, source):
        super().__init__()
        self.open, self.words, self.attributes = [], [], set()
        self.feed(source)
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.attributes |= {name for name, _ in attrs}
        if tag not in EMPTY:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if tag not in EMPTY:
            assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] != "style":
            self.words.append(data)

    @property
    def text(self):
        return "".join(self.words)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_worksheet_asks_everything_and_answers_nothing(language):
    for lesson in LESSONS:
        page, text = Page(worksheet(lesson, language)), text_of(lesson, language)
        assert text.title in page.text and lesson.id in page.text
        for choice in text.choices:
            assert plain(choice, quoted(lesson)) in page.text
        for question in lesson.question:
            assert question.ask.said(language).partition("`")[0] in page.text
            assert question.why.said(language) not in page.text
            assert plain(question.asked(language), quoted(lesson)) in page.text
        assert all(hint not in page.text for hint in text.hints)
        assert worksheet(lesson, language).count("<svg") == 2
        assert not page.attributes & {"src", "href", "onload", "onclick"}


def test_the_command_writes_a_file_and_says_where_it_cannot(tmp_path, capsys):
    out = tmp_path / "07.html"
    assert main(["worksheet", "7", "--lang", "zh", "-o", str(out)]) == 0
    assert capsys.readouterr().out.startswith(f"wrote {out}")
    assert 'lang="zh"' in out.read_text("utf-8")
    assert main(["worksheet", "7", "-o", str(tmp_path / "none" / "07.html")]) == 2
    assert "cannot be written" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("window", "ticks"),
    [
        ((0.0, 130.0), ["0", "20", "40", "60", "80", "100", "120"]),
        ((1.0, 2.5), ["1", "1.2", "1.4", "1.6", "1.8", "2", "2.2", "2.4"]),
        (None, [""] * 11),
    ],
)
def test_the_axis_has_round_numbers_within_its_window(window, ticks):
    found = re.findall(r'text-anchor="middle">([^<]*)<', empty_timeline(window, "en"))
    assert found == ticks


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.id)
def test_the_unit_stands_clear_of_the_last_number(lesson):
    window = asked_scene(lesson).window_ms
    text = re.findall(r'<text x="([\d.]+)"[^>]*>([^<]+)<', empty_timeline(window, "en"))
    (unit, _), numbers = text[-1], [(float(x), tick) for x, tick in text if tick[0].isdigit()]
    for x, tick in numbers:
        assert x + DIGIT * len(tick) / 2 <= float(unit) - 3 * DIGIT
