"""What every colour and pattern in a picture means, as a line of HTML under it.

HTML and not Plotly's own legend, because it wraps on a narrow page and stays small.
"""

from collections.abc import Iterable

from lab.catalogue import t
from lab.escape import for_html
from lab.picture.palette import (
    ALARM,
    EDGE,
    GAP,
    HAZARD,
    MARKED,
    PATH,
    PATH_EDGE,
    PATH_HUE,
    PATH_WAIT,
    SLOT_HUES,
    STYLE_NAMES,
    STYLES,
    WHITE,
    Style,
    slot_letter,
)

STRIPES = {"/": (135,), "\\": (45,), "x": (45, 135), "-": (0,), "|": (90,), "+": (0, 90)}
"""CSS angles that look like Plotly's hatches; dots are drawn otherwise."""

LINE = "display:flex;flex-wrap:wrap;gap:.2rem 1.1rem;font-size:.8rem;opacity:.9"
BOX = "display:inline-block;width:1.5em;height:.8em;vertical-align:-.05em"
ARROW = f'<i style="color:{EDGE};font-style:normal;font-weight:700">→</i>'
EVENT_ARROW, LAUNCH_ARROW = "event arrow", "launch arrow"
LONG_GAP = "long gap"
"""Name under which the marks of the overview strip stand in the legend."""

LAST_SLOT = f"kernel {len(SLOT_HUES) - 1}"
"""With kernels of this style there may be some of a slot whose hue is another's."""


def legend_html(drawn: Iterable[str], slots: bool) -> str:
    """Swatches with words for the styles and arrows `drawn`, each meaning once.

    `slots`: kernels are told apart by the slot they work on.
    """
    names = set(drawn)
    items: dict[str, str] = {}
    for name in STYLE_NAMES:
        if name in names:
            items.setdefault(_meaning(name, slots), _swatch(STYLES[name]))
    if slots and LAST_SLOT in names:
        items[t("legend.slots_repeat")] = _swatch(STYLES["kernel 0"])
    for name, key in ((EVENT_ARROW, "legend.event"), (LAUNCH_ARROW, "legend.launched")):
        if name in names:
            items[t(key)] = ARROW
    for name, key in ((PATH, "legend.path"), (PATH_WAIT, "legend.path_wait")):
        if name in names:
            items[t(key)] = _line(dashed=name == PATH_WAIT)
    if MARKED in names:
        items[t("legend.selected")] = "<b>▢</b>"
    if HAZARD in names:
        items[t("legend.hazard")] = f'<b style="color:{ALARM}">▲</b>'
    if LONG_GAP in names:
        items[t("legend.long_gap")] = f'<b style="color:{GAP}">▼</b>'
    spans = "".join(f"<span>{swatch} {for_html(text)}</span>" for text, swatch in items.items())
    return f'<div style="{LINE}">{spans}</div>'


def _meaning(name: str, slots: bool) -> str:
    kind, _, slot = name.partition(" ")
    if slots and kind == "kernel":
        return t("legend.slot", slot=slot_letter(int(slot)))
    return t(STYLES[name].label)


def _line(dashed: bool) -> str:
    """A piece of the critical path."""
    fill = f"repeating-linear-gradient(90deg,{PATH_HUE} 0 4px,transparent 4px 7px)"
    background = fill if dashed else PATH_HUE
    edge = f"border:1px {'dashed' if dashed else 'solid'} {PATH_EDGE}"
    return f'<i aria-hidden="true" style="{BOX};height:.45em;background:{background};{edge}"></i>'


def _swatch(style: Style) -> str:
    background = f"background-color:{style.fill}"
    if style.pattern == ".":
        dot = f"radial-gradient({style.line} 1px,transparent 1.5px)"
        background += f";background-image:{dot};background-size:4px 4px"
    elif style.pattern:
        stripe = f"{style.line} 0 1.5px,transparent 1.5px 5px"
        stripes = (f"repeating-linear-gradient({a}deg,{stripe})" for a in STRIPES[style.pattern])
        background += f";background-image:{','.join(stripes)}"
    edge = style.line if style.line not in ("", WHITE) else style.fill
    return f'<i aria-hidden="true" style="{BOX};{background};border:1px solid {edge}"></i>'
