"""docs/play-the-host.md is what the command writes, and leaves no level and no key out."""

from pathlib import Path

from engine.play import LEVELS, OPERATIONS
from engine.play.page import levels_page

PAGE = Path(__file__).resolve().parents[3] / "docs" / "play-the-host.md"


def test_the_committed_page_is_what_the_command_writes():
    assert levels_page() == PAGE.read_text("utf-8"), (
        "run: python -m engine.play > docs/play-the-host.md"
    )


def test_every_level_and_every_key_has_a_row():
    rows = levels_page().splitlines()
    for place, level in enumerate(LEVELS.values(), 1):
        (row,) = [row for row in rows if f"| `{level.id}` |" in row]
        assert row.startswith(f"| {place} | {level.title} |")
        assert level.teaches in row and f"`{level.mechanism}`" in row
    assert all(any(row.startswith(f"| `{key}` |") for row in rows) for key in OPERATIONS)
    widths = {row.count("|") for row in rows if row[:3].strip("| ").isdigit()}
    assert widths == {7}
