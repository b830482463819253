"""The one visual language: what each kind of span looks like, on every page.

Host work is grey, a slot has one calm hue for its H2D, compute and D2H, idle GPU time is
hatched amber, and vermillion marks corrupted tokens and hazards and nothing else. The hues
are close to those of Okabe and Ito, which colour-blind people can tell apart, and patterns tell
apart what hues do not (`tests/lab/picture/test_palette.py` measures both). The mid-tones are
chosen to be read on a light and on a dark page.
"""

from dataclasses import dataclass

ALARM = "#D55E00"
"""Corrupted tokens and hazards, and nothing else."""

ALARM_TEXT = f"color-mix(in srgb, {ALARM} 80%, currentColor)"
"""The same for small text: darker on a light page, lighter on a dark one, to be read (4.5:1)."""

HAZARD = "hazard"
"""Name of the trace that marks hazards in a timeline."""

MARKED = "selected"
"""Name of the frame around the selected span in a timeline."""

PATH, PATH_WAIT = "critical path", "wait on the critical path"
"""Names of the two parts of the critical path that is drawn over a timeline."""

PATH_HUE = "#F0E442"
"""The yellow of the same palette; it stands on a dark edge, to be seen on every hue."""

PATH_EDGE = "#1F2328"

GAP = "#E69F00"
HOST = "#6B757F"
EDGE = "#808A94"
FAINT = "rgba(122, 132, 142, 0.30)"
SLOT_HUES = ("#0072B2", "#1DB98C", "#A05D87", "#4A9ACB")
WHITE = "#FFFFFF"
INK = "#1F2328"
"""Text on light fills, the same on a light and on a dark page."""

SLOT_TEXT = (WHITE, INK, WHITE, INK)
"""What can be read (4.5:1) on each slot's hue."""

SLOT_PATTERNS = ("", ".", "|", "+")
"""The hatch of each slot's kernels."""

OUTLINE = "rgba(255, 255, 255, 0.55)"


@dataclass(frozen=True)
class Style:
    """How one kind of span is drawn. `label` is a key of the catalogue; `pattern` is a Plotly
    hatch ("" is solid), `line` its colour; `text` the colour of a name inside ("" takes the page's
    own)."""

    label: str
    fill: str
    pattern: str = ""
    line: str = ""
    text: str = ""

    @property
    def outline(self) -> str:
        """The colour of a wide rectangle's edge, "" for a faint one."""
        return "" if self.pattern in SLOT_PATTERNS else self.line

    @property
    def opacity(self) -> float:
        """Of the hatch: that of device work is the faintest, for names are read across it."""
        if self.pattern in SLOT_PATTERNS:
            return 0.4
        return 0.5 if self.line == WHITE else 0.9

    @property
    def halo(self) -> str:
        """What keeps a dense hatch off a name, as a CSS shadow in the fill's colour; "" where
        the name is read across the hatch."""
        if not self.text or self.pattern in SLOT_PATTERNS:
            return ""
        around = [(x, y) for x in (-2, 0, 2) for y in (-2, 0, 2)]
        return ", ".join(f"{x}px {y}px 2px {self.fill}" for x, y in around)

    @property
    def size(self) -> int:
        """px from one line of the hatch to the next."""
        return 10 if self.pattern in SLOT_PATTERNS else 6


def _slot_styles(slot: int) -> dict[str, Style]:
    """A kernel's hatch is of the colour that its name is not, which can then be read across it.
    The hue of slot D is the lightest, and its copies have a dark hatch: to those who see no
    blue, the hue alone is close to that of slot B."""
    hue, text, pattern = SLOT_HUES[slot], SLOT_TEXT[slot], SLOT_PATTERNS[slot]
    under = (INK if text == WHITE else WHITE) if pattern else ""
    line = INK if slot == len(SLOT_HUES) - 1 else WHITE
    return {
        "kernel": Style("legend.kernel", hue, pattern, under, text),
        "h2d": Style("legend.h2d", hue, "/", line, text),
        "d2h": Style("legend.d2h", hue, "\\", line, text),
        "copy": Style("legend.copy", hue, "x", line, text),
        "memset": Style("legend.memset", hue, "-", line, text),
    }


STYLES: dict[str, Style] = {
    "host": Style("legend.host", HOST, text=WHITE),
    "sync": Style("legend.sync", "#C3CAD1", "\\", HOST, INK),
    "launch": Style("legend.launch", "#3D454D", text=WHITE),
    "op": Style("legend.op", HOST, text=WHITE),
    "python": Style("legend.python", "#A3ABB3", text=INK),
    "annotation": Style("legend.annotation", "#D5DADF", text=INK),
    "gap": Style("legend.gap", "#F7DFA8", "/", GAP, INK),
} | {
    f"{kind} {slot}": style
    for slot in range(len(SLOT_HUES))
    for kind, style in _slot_styles(slot).items()
}
"""Style by name; device work is "<kind> <slot number>", with hues repeating from the fifth."""

STYLE_NAMES = tuple(STYLES)
STYLE_NUMBER = {name: number for number, name in enumerate(STYLE_NAMES)}

HOST_STYLE = {
    "host": "host",
    "sync": "sync",
    "launch": "launch",
    "runtime": "launch",
    "op": "op",
    "python": "python",
    "overhead": "annotation",
    "annotation": "annotation",
    "instant": "launch",
}
"""Style of a host span by its kind."""


def style_name(kind: str, slot: int) -> str:
    """The style of a span. Work without a slot looks like that of slot A."""
    if kind in HOST_STYLE:
        return HOST_STYLE[kind]
    return f"{kind} {max(slot, 0) % len(SLOT_HUES)}"


def slot_letter(slot: int) -> str:
    """Slot 0 is A, 1 is B, and so on; numbers above 25 stay numbers."""
    return chr(ord("A") + slot) if slot < 26 else str(slot)
