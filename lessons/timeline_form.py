"""An empty timeline to draw into with a pencil: lanes and a time axis, as SVG."""

from lessons.lesson import Words

LANES = (
    Words("host", "主机"),
    Words("H2D stream", "H2D 流"),
    Words("compute stream", "计算流"),
    Words("D2H stream", "D2H 流"),
)
WIDTH, LEFT, LANE, FOOT = 720, 110, 44, 26
"""In the SVG's own units: of the picture, of the lanes' names, of one lane, of the axis."""

TICKS = 10


def empty_timeline(window_ms: tuple[float, float] | None, language: str) -> str:
    """Lanes with a grid of ten stretches; without a window the axis has no numbers."""
    bottom = LANE * len(LANES)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {bottom + FOOT}" '
        'font-size="12" fill="#1f2328">'
    ]
    for number, name in enumerate(LANES):
        y = number * LANE
        parts.append(_line(LEFT, y, WIDTH, y, "#808a94"))
        parts.append(f'<text x="0" y="{y + LANE / 2 + 4}">{name.said(language)}</text>')
    parts.append(_line(LEFT, bottom, WIDTH, bottom, "#1f2328"))
    for tick in range(TICKS + 1):
        x = LEFT + tick * (WIDTH - LEFT - 20) / TICKS
        parts.append(_line(x, 0, x, bottom + 4, "#c4cad0"))
        if window_ms:
            low, high = window_ms
            at = low + tick * (high - low) / TICKS
            parts.append(f'<text x="{x:.1f}" y="{bottom + 18}" text-anchor="middle">{at:g}</text>')
    parts.append(f'<text x="{WIDTH}" y="{bottom + 18}" text-anchor="end">ms</text></svg>')
    return "".join(parts)


def _line(x1: float, y1: float, x2: float, y2: float, colour: str) -> str:
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}"/>'
