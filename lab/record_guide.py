"""The guide to recording a trace: docs/record-your-own.md, cut into a beginning and its sections.

The page shows the file itself, so that docs and lab say the same.
"""

from pathlib import Path

GUIDE = Path(__file__).resolve().parents[1] / "docs" / "record-your-own.md"


def guide_parts(text: str) -> tuple[str, dict[str, str]]:
    """What stands before the first heading of the second level, without the title, and each
    section by its heading."""
    head, *sections = text.split("\n## ")
    _, _, head = head.partition("\n")
    parts = (section.partition("\n") for section in sections)
    return head.strip(), {title.strip(): body.strip() for title, _, body in parts}
