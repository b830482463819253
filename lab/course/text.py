"""A lesson's Markdown made ready for the page: figures filled in, terms explained."""

from lab.catalogue import language, t
from lessons.glossary import glossary
from lessons.lesson import Lesson
from lessons.loading import text_of
from lessons.scenes import quoted
from lessons.texts import TERM, Text, filled

GLOSSARY = "glossary"
"""The anchor of the glossary at the page's foot."""


def text(lesson: Lesson) -> Text:
    """A lesson's text in the page's language."""
    return text_of(lesson, language())


def ready(lesson: Lesson, markdown: str) -> str:
    """Markdown with its figures, and each term as a link that says what it means."""
    spoken = language()

    def linked(word: str, key: str) -> str:
        means = glossary()[key].means.said(spoken).replace('"', "'")
        return f'[{word}](#{GLOSSARY} "{means}")'

    whole = filled(markdown, quoted(lesson))
    return TERM.sub(lambda match: linked(match[1], match[2]), whole)


def terms_of(lesson: Lesson, part: str) -> list[str]:
    """The glossary's entries that a part of the lesson speaks of, as lines, in the order of
    their names."""
    spoken = language()
    known = [glossary()[key] for key in text(lesson).terms_in(part)]
    named = sorted((term.name.said(spoken), term.means.said(spoken)) for term in known)
    return [t("lessons.term", name=name, means=means) for name, means in named]
