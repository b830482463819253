"""The guide to recording a trace: docs/record-your-own.md, cut into a beginning and its sections.

The page shows the file itself, so that docs and lab say the same; another language has a file of
its own, with the same sections in the same order.
"""

from pathlib import Path

from lab.catalogue import LANGUAGE

DOCS = Path(__file__).resolve().parents[2] / "docs"


def guide_file(language: str) -> Path:
    """The guide in a language; the English one where the language has none."""
    own = DOCS / f"record-your-own.{language}.md"
    return own if own.is_file() else DOCS / "record-your-own.md"


def guide_parts(text: str) -> tuple[str, dict[str, str]]:
    """What stands before the first heading of the second level, without the title, and each
    section by its heading."""
    head, *sections = text.split("\n## ")
    _, _, head = head.partition("\n")
    parts = (section.partition("\n") for section in sections)
    return head.strip(), {title.strip(): body.strip() for title, _, body in parts}


def guide(language: str) -> tuple[str, dict[str, tuple[str, str]]]:
    """The beginning, and each section as its heading and text by its English heading, which is
    the same in every language's URL."""
    head, sections = guide_parts(guide_file(language).read_text("utf-8"))
    _, english = guide_parts(guide_file(LANGUAGE).read_text("utf-8"))
    return head, dict(zip(english, sections.items(), strict=True))
