"""A lesson's Markdown, taken apart: title, summary, five parts, choices, scenes and hints.

The format, the same in both languages:

    # Title
    One sentence of summary.
    ## Predict            the question; a list at its end holds the choices
    ## See                for each scene a line `<!-- scene: id -->` and what to look at
    ## Explain
    ## Break or fix it    the task; a numbered list under `### Hints` holds three hints
    ## In the wild

`{scene.figure}` stands for a figure of a scene, `[word](term:key)` for an entry of the glossary.
"""

import re
from dataclasses import dataclass

PARTS = ("predict", "see", "explain", "exercise", "wild")
HEADINGS = {
    "en": ("Predict", "See", "Explain", "Break or fix it", "In the wild"),
    "zh": ("先预测", "再观察", "讲解", "动手：弄坏它或修好它", "真实案例"),
}
HINTS = {"en": "### Hints", "zh": "### 提示"}
HINT_COUNT = 3

FIGURE = re.compile(r"\{([a-z0-9-]+\.[a-z_]+(?::[^}]+)?)\}")
"""A quoted figure."""

TERM = re.compile(r"\[([^\]]+)\]\(term:([a-z0-9-]+)\)")
"""A word that the glossary explains."""

SCENE = re.compile(r"<!-- scene: ([a-z0-9-]+) -->")


@dataclass(frozen=True)
class Text:
    """A lesson's text in one language. `scenes` has what to look at, by scene."""

    title: str
    summary: str
    parts: dict[str, str]
    choices: tuple[str, ...]
    scenes: dict[str, str]
    hints: tuple[str, ...]

    def shown_in(self, part: str) -> str:
        """Everything that a part shows."""
        more = {"predict": self.choices, "see": self.scenes.values(), "exercise": self.hints}
        return "\n".join((self.parts[part], *more.get(part, ())))

    @property
    def whole(self) -> str:
        """Everything that is quoted from or linked from."""
        return "\n".join((self.summary, *map(self.shown_in, self.parts)))

    @property
    def figures(self) -> list[str]:
        """The figures quoted, as "scene.figure", sorted."""
        return sorted(FIGURE.findall(self.whole))

    @property
    def terms(self) -> set[str]:
        """The glossary's entries that are linked."""
        return {key for _, key in TERM.findall(self.whole)}

    def terms_in(self, part: str) -> set[str]:
        """Those of them that a part speaks of. A word is linked where the lesson has it first, so
        other parts count that have the same word, or the entry's own name."""
        shown = FIGURE.sub("", TERM.sub(r"\1", self.shown_in(part))).lower()
        return {
            key
            for word, key in TERM.findall(self.whole)
            if _has_word(shown, word.lower()) or _has_word(shown, key.replace("-", " "))
        }


def _has_word(text: str, word: str) -> bool:
    """Whether a word stands in a text, or its plural; Chinese has no space around a word."""
    return bool(re.search(rf"(?<![a-z]){re.escape(word)}(e?s)?(?![a-z])", text))


def parse_text(source: str, language: str) -> Text:
    """Take a lesson's Markdown apart. Raises ValueError, one sentence on what is missing."""
    head, *sections = re.split(r"^## ", source, flags=re.MULTILINE)
    title, _, summary = head.strip().partition("\n")
    if not title.startswith("# ") or not summary.strip():
        raise ValueError("it begins with '# Title' and a sentence of summary")
    named = [section.partition("\n") for section in sections]
    headings = tuple(name.strip() for name, _, _ in named)
    if headings != HEADINGS[language]:
        raise ValueError(f"its headings are {headings}, and must be {HEADINGS[language]}")
    parts = dict(zip(PARTS, (body.strip() for _, _, body in named), strict=True))
    parts["predict"], choices = _cut_list(parts["predict"], r"- ")
    parts["see"], scenes = _cut_scenes(parts["see"])
    task, found, hints = parts["exercise"].partition(HINTS[language])
    parts["exercise"] = task.strip()
    _, steps = _cut_list(hints.strip(), r"\d\. ")
    if not found or len(steps) != HINT_COUNT:
        raise ValueError(f"under {HINTS[language]!r} there must be {HINT_COUNT} numbered hints")
    return Text(title[2:].strip(), summary.strip(), parts, choices, scenes, steps)


def _cut_list(text: str, marker: str) -> tuple[str, tuple[str, ...]]:
    """The text before a list that stands at its end, and the list's entries, each on one or
    more lines."""
    before, *entries = re.split(rf"^{marker}", text, flags=re.MULTILINE)
    return before.strip(), tuple(" ".join(entry.split()) for entry in entries)


def _cut_scenes(text: str) -> tuple[str, dict[str, str]]:
    before, *pieces = SCENE.split(text)
    names, bodies = pieces[::2], pieces[1::2]
    return before.strip(), {n: b.strip() for n, b in zip(names, bodies, strict=True)}


def filled(text: str, figures: dict[str, str]) -> str:
    """The text with the figures in their places. Raises KeyError for one that is unknown."""
    return FIGURE.sub(lambda match: figures[match[1]], text)


def unlinked(markdown: str, figures: dict[str, str]) -> str:
    """Markdown with its figures, and without links into the glossary, for where there is none."""
    return TERM.sub(r"\1", filled(markdown, figures))


def plain(markdown: str, figures: dict[str, str]) -> str:
    """A sentence with its figures, and without links and emphasis, for where no Markdown is
    shown."""
    return re.sub(r"\*{1,2}|`", "", unlinked(markdown, figures))
