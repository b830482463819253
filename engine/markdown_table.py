"""A table in Markdown, for the pages of docs/ that are written from the lab's own tables."""

from collections.abc import Iterable


def markdown_table(heads: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """The table's lines; a bar or a line break inside of a cell is made harmless."""
    head = list(heads)
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(map(_cell, line)) + " |" for line in lines)


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")
