"""The instructor's guide is what the command writes, in both languages, and leaves nothing out."""

from pathlib import Path

import pytest

from lessons.cli import main
from lessons.guide import guide_page
from lessons.loading import lessons, text_of

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGES = {"en": DOCS / "instructors-guide.md", "zh": DOCS / "instructors-guide.zh.md"}


@pytest.mark.parametrize("language", PAGES)
def test_the_committed_page_is_what_the_command_writes(language, capsys):
    assert main(["guide", "--lang", language]) == 0
    page = PAGES[language]
    assert capsys.readouterr().out == page.read_text(encoding="utf-8"), (
        f"run: python -m lessons guide --lang {language} > docs/{page.name}"
    )


@pytest.mark.parametrize("language", PAGES)
def test_every_lesson_has_its_minutes_its_mistakes_and_one_right_prediction(language):
    _, *sections = guide_page(language).split('<a id="lesson-')
    assert len(sections) == len(lessons())
    for lesson, section in zip(lessons().values(), sections, strict=True):
        assert section.startswith(lesson.id) and text_of(lesson, language).title in section
        assert str(lesson.minutes) in section and f"?lesson={lesson.id}&" in section
        assert section.count("- ✓ ") == (lesson.predict.kind == "choice")
        wrong = section[section.rindex("**") :].count("\n| ") - 2
        assert wrong == len(lesson.wrong)
        for question in lesson.question:
            assert f"| {question.ask.said(language)} | " in section


@pytest.mark.parametrize("language", PAGES)
def test_every_row_of_a_table_has_as_many_cells_as_its_head(language):
    widths = []
    for line in guide_page(language).splitlines():
        if line.startswith("|"):
            widths.append(line.replace("\\|", "").count("|"))
        else:
            assert len(set(widths)) <= 1
            widths = []
