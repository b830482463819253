"""Makes text from outside harmless where it is shown as markup.

Names in a trace file are untrusted. Tables and `st.text` show them as they are; HTML,
Plotly's small HTML dialect and Streamlit's Markdown (with its LaTeX, colours, emoji codes)
need the functions below.
"""

import html
import re

_MARKDOWN = re.compile(r"([\\`*_{}\[\]()<>#+\-.!|$~:&^=@/])")
_BECOMES_A_LINK = re.compile(r"//(?=[-.\w])|www(?=\.)|@(?=[-\w])", re.IGNORECASE)
_QUOTED = re.compile(r"(?<!`)`([^`]+)`(?!`)")
_WORD_JOINER = "\u2060"
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")


def one_line(text: str, longest: int = 80) -> str:
    """The text without control and direction characters, cut to `longest` characters."""
    clean = _CONTROL.sub(" ", text)
    return clean if len(clean) <= longest else clean[: longest - 1] + "…"


def for_html(text: str) -> str:
    """Text for HTML element content and attributes."""
    return html.escape(text)


def for_plotly(text: str, longest: int = 80) -> str:
    """Text for a Plotly label or hover: no tags, no entities, no LaTeX between dollar signs."""
    return html.escape(one_line(text, longest), quote=False).replace("$", "&#36;")


def for_markdown(text: str, longest: int = 300) -> str:
    """Text for `st.markdown`, captions and labels: every character that could mean something
    is escaped. Addresses would become links all the same: a character without width parts them."""
    parted = _BECOMES_A_LINK.sub(rf"\g<0>{_WORD_JOINER}", one_line(text, longest))
    return _MARKDOWN.sub(r"\\\1", parted)


def sentence_for_markdown(text: str, longest: int = 300) -> str:
    """The same for a sentence of ours that may quote a command or a name between backticks: what
    stands there is shown as code, in which nothing means anything either."""
    parts = _QUOTED.split(one_line(text, longest))
    return "".join(
        f"`{part}`" if number % 2 else for_markdown(part, longest)
        for number, part in enumerate(parts)
    )
