"""docs/mechanisms.md is what the command writes, and leaves nothing out."""

from pathlib import Path

import pytest

from engine.cli import main
from engine.mechanisms.page import mechanisms_page, showing
from engine.mechanisms.table import TABLE
from engine.modes.table import MODES

PAGE = Path(__file__).resolve().parents[3] / "docs" / "mechanisms.md"


def test_the_committed_page_is_what_the_command_writes(capsys):
    assert main(["mechanisms", "--markdown"]) == 0
    assert capsys.readouterr().out == PAGE.read_text(encoding="utf-8"), (
        "run: python -m engine mechanisms --markdown > docs/mechanisms.md"
    )


@pytest.mark.parametrize("info", TABLE, ids=lambda info: info.name)
def test_a_mechanism_has_a_row_with_its_values_words_and_modes(info):
    (row,) = [
        line for line in mechanisms_page().splitlines() if line.startswith(f"| `{info.name}` ")
    ]
    assert f"**{info.correct}**" in row
    for text in (*info.values, info.protects, info.seen_when_wrong, info.in_the_wild):
        assert text.replace("|", "\\|") in row
    assert all(f"`{name}`" in row for name in showing(info))


def test_every_mode_is_listed_and_shown_by_the_toggles_it_sets():
    page = mechanisms_page()
    for name, mode in MODES.items():
        assert f"\n| `{name}` | {mode.summary} |" in page
        assert [info.name for info in TABLE if name in showing(info)] == [
            info.name for info in TABLE if info.name in mode.toggles
        ]


def test_every_row_of_a_table_has_as_many_cells_as_its_head():
    widths = []
    for line in mechanisms_page().splitlines():
        if line.startswith("|"):
            widths.append(line.replace("\\|", "").count("|"))
        else:
            assert len(set(widths)) <= 1
            widths = []
    assert len(set(widths)) == 1
