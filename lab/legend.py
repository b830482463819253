"""What every colour and pattern means, as a line of HTML under a timeline.

HTML and not Plotly's own legend, because it wraps on a narrow page and stays small.
"""

from collections.abc import Iterable

from lab.catalogue import t
from lab.escape import for_html
from lab.palette import EDGE, STYLES, Style

STRIPES = {"/": 135, "\\": 45, "x": 90, ".": 0}
"""CSS angles that look like Plotly's hatches."""

ENGINE = ("host", "sync", "launch", "kernel 0", "kernel 1", "h2d 0", "d2h 0", "gap")
PROFILER = ("op", "python", "sync", "launch", "annotation", "kernel 0", "h2d 0", "d2h 0", "gap")
LABELS = {"kernel 0": "legend.slot_a", "kernel 1": "legend.slot_b"}


def legend_html(names: Iterable[str], slots: bool, arrows: bool) -> str:
    """Swatches with words. `slots`: kernels are told apart by slot; `arrows`: explain them."""
    items = []
    for name in names:
        style = STYLES[name]
        key = LABELS.get(name, style.label) if slots else style.label
        items.append(f"<span>{_swatch(style)} {for_html(t(key))}</span>")
    if arrows:
        arrow = f'<i style="color:{EDGE};font-style:normal;font-weight:700">→</i>'
        items.append(f"<span>{arrow} {for_html(t('legend.event'))}</span>")
    style_sheet = "display:flex;flex-wrap:wrap;gap:.2rem 1.1rem;font-size:.8rem;opacity:.9"
    return f'<div style="{style_sheet}">{"".join(items)}</div>'


def _swatch(style: Style) -> str:
    background = f"background-color:{style.fill}"
    if style.pattern:
        stripe = f"{style.line} 0 1.5px,transparent 1.5px 5px"
        angle = STRIPES[style.pattern]
        background += f";background-image:repeating-linear-gradient({angle}deg,{stripe})"
    border = f"border:1px solid {style.line or style.fill}"
    shape = "display:inline-block;width:1.5em;height:.8em;vertical-align:-.05em"
    return f'<i aria-hidden="true" style="{shape};{background};{border}"></i>'
