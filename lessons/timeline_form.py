"""An empty timeline to draw into with a pencil: lanes and a time axis, as SVG."""

from collections.abc import Iterator
from math import ceil, floor

from lessons.lesson import Words
from lessons.round_numbers import next_round

LANES = (
    Words("host", "主机"),
    Words("H2D stream", "H2D 流"),
    Words("compute stream", "计算流"),
    Words("D2H stream", "D2H 流"),
)
"""Of a run of the engine."""

PROGRAM_LANES = (LANES[0], *(Words(f"stream {n}", f"流 {n}") for n in (1, 2, 3)))
"""Of a small program, whose streams are its own."""

WIDTH, LEFT, RIGHT, LANE, FOOT = 720, 110, 676, 44, 26
"""In the SVG's own units: of the picture, where its lanes begin and end, of a lane, of the axis."""

STRETCHES = 10
"""Of the grid, at most; so many where the axis has no numbers."""


def empty_timeline(window_ms: tuple[float, float] | None, language: str) -> str:
    """Lanes with a grid. Without a window they are a program's, and the axis has no numbers."""
    lanes = LANES if window_ms else PROGRAM_LANES
    bottom = LANE * len(lanes)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {bottom + FOOT}" '
        'font-size="12" fill="#1f2328">'
    ]
    for number, name in enumerate(lanes):
        y = number * LANE
        parts.append(_line(LEFT, y, RIGHT, y, "#808a94"))
        parts.append(f'<text x="0" y="{y + LANE / 2 + 4}">{name.said(language)}</text>')
    parts.append(_line(LEFT, bottom, RIGHT, bottom, "#1f2328"))
    for share, label in _ticks(window_ms):
        x = LEFT + share * (RIGHT - LEFT)
        parts.append(_line(x, 0, x, bottom + 4, "#c4cad0"))
        parts.append(f'<text x="{x:.1f}" y="{bottom + 18}" text-anchor="middle">{label}</text>')
    parts.append(f'<text x="{WIDTH}" y="{bottom + 18}" text-anchor="end">ms</text></svg>')
    return "".join(parts)


def _ticks(window_ms: tuple[float, float] | None) -> Iterator[tuple[float, str]]:
    """Where on the axis a line stands (0 to 1), and the round number under it."""
    if window_ms is None:
        yield from ((n / STRETCHES, "") for n in range(STRETCHES + 1))
        return
    low, high = window_ms
    step = next_round((high - low) / STRETCHES)
    for n in range(ceil(low / step), floor(high / step) + 1):
        yield (n * step - low) / (high - low), f"{n * step:g}"


def _line(x1: float, y1: float, x2: float, y2: float, colour: str) -> str:
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}"/>'
