"""Small tables as HTML, in one look for all that the stepper shows.

HTML and not `st.dataframe`: these tables change with every step, and a grid would be built anew
each time, and lose its place.
"""

from collections.abc import Iterable, Sequence

from lab.escape import for_html
from lab.picture.palette import SLOT_HUES

MARK = "rgba(0, 114, 178, .18)"
"""Behind the line of the loop on which the host stands."""

HATCH = "repeating-linear-gradient(135deg, rgba(122,132,142,.55) 0 1.5px, transparent 1.5px 5px)"
"""Over what is being written at the instant."""

CSS = f"""<style>
.stepper {{ font-size: .8rem; overflow-x: auto; }}
.stepper table {{ border-collapse: collapse; margin: 0 0 .6rem; }}
.stepper th, .stepper td {{ border: 1px solid rgba(122,132,142,.3); padding: .1rem .45rem;
  text-align: left; white-space: nowrap; }}
.stepper th {{ font-weight: 600; background: rgba(122,132,142,.1); }}
.stepper caption {{ caption-side: top; text-align: left; font-weight: 600; padding: .1rem 0;
  white-space: nowrap; }}
.stepper td sup {{ opacity: .75; margin-left: .15rem; }}
.stepper .pending {{ background-image: {HATCH}; }}
.stepper .side {{ display: flex; flex-wrap: wrap; gap: .2rem 1.4rem; align-items: flex-start; }}
.stepper .source {{ flex: 1 1 30rem; min-width: 0; }}
.stepper .queues {{ flex: 1 1 22rem; min-width: 0; }}
.stepper .chips {{ display: flex; flex-wrap: wrap; gap: .2rem; margin: .1rem 0 .5rem; }}
.stepper .chip {{ border: 1px solid rgba(122,132,142,.45); border-radius: .25rem;
  padding: 0 .35rem; white-space: nowrap; }}
.stepper .chip.runs {{ font-weight: 600; border-width: 2px; }}
.stepper .chip.mark {{ border-style: dashed; opacity: .85; }}
.stepper .grid {{ display: grid; gap: 2px;
  grid-template-columns: repeat(auto-fill, minmax(3.1rem, 1fr)); }}
.stepper .grid div {{ border: 1px solid rgba(122,132,142,.3); padding: 0 .2rem; height: 1.35rem;
  overflow: hidden; white-space: nowrap; text-overflow: clip; }}
.stepper .grid .free {{ opacity: .5; }}
.stepper .grid .shared {{ border: 3px double currentColor; }}
.stepper pre {{ margin: 0; padding: .4rem 0; font-size: .78rem; line-height: 1.5;
  border: 1px solid rgba(122,132,142,.3); }}
.stepper pre span {{ display: block; padding: 0 .5rem 0 calc(.5rem + 7ch); text-indent: -7ch;
  white-space: pre-wrap; overflow-wrap: anywhere; }}
.stepper pre .here {{ background: {MARK}; font-weight: 700;
  border-left: 4px solid {SLOT_HUES[0]}; padding-left: calc(.5rem + 7ch - 4px); }}
</style>"""


def boxed(*parts: str) -> str:
    """Parts of HTML as one block with the look of the stepper."""
    return f'{CSS}<div class="stepper">{"".join(parts)}</div>'


def side_by_side(parts: Iterable[str]) -> str:
    """Parts beside each other, as far as there is room."""
    return f'<div class="side">{"".join(parts)}</div>'


def table(caption: str, heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table of plain texts; a row may hold ready cells made by `cell`, a head by `slot_head`."""
    head = "".join(map(_as_head, heads))
    body = "".join(f"<tr>{''.join(map(_as_cell, row))}</tr>" for row in rows)
    title = f"<caption>{for_html(caption)}</caption>" if caption else ""
    return f"<table>{title}<tr>{head}</tr>{body}</table>"


def cell(text: str, note: str = "", title: str = "", pending: bool = False) -> str:
    """A cell with a small raised note and a tooltip; hatched while it is being written."""
    look = ' class="pending"' if pending else ""
    small = f"<sup>{for_html(note)}</sup>" if note else ""
    return f'<td{look} title="{for_html(title)}">{for_html(text)}{small}</td>'


def slot_head(text: str, slot: int) -> str:
    """The head of a slot's column, underlined in the slot's hue."""
    hue = SLOT_HUES[slot % len(SLOT_HUES)]
    return f'<th style="border-bottom:4px solid {hue}">{for_html(text)}</th>'


def chip(text: str, look: str = "", title: str = "") -> str:
    """A small frame around a text; `look` is "runs", "mark" or nothing."""
    return f'<span class="chip {look}" title="{for_html(title)}">{for_html(text)}</span>'


def _as_cell(text: str) -> str:
    return text if text.startswith("<td") else f"<td>{for_html(text)}</td>"


def _as_head(text: str) -> str:
    return text if text.startswith("<th") else f"<th>{for_html(text)}</th>"
