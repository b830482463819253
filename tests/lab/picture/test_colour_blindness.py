"""Whatever stands beside each other can be told apart without seeing every colour.

Colour vision deficiency is simulated for dichromats with the matrices of Machado, Oliveira and
Fernandes, "A Physiologically-based Model for Simulation of Color Vision Deficiency" (IEEE TVCG
15(6), 2009, severity 1.0), in linear sRGB. The difference of two colours is that of CIE 1976
(L*a*b*, white point D65): 2.3 is just noticeable.
"""

import tomllib
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from lab.picture.palette import ALARM, GAP, PATH_EDGE, PATH_HUE, SLOT_HUES, STYLES, Style

Floats = NDArray[np.float64]

LEAST = 15.0
"""Six times what is just noticeable: seen at a glance on a narrow bar, too."""

LEAST_ON_PAGE = 10.0
"""For a bar on the page, where its place helps."""

VISION = {
    "all colours": np.eye(3),
    "no red": np.array(
        [[0.152286, 1.052583, -0.204868],
         [0.114503, 0.786281, 0.099216],
         [-0.003882, -0.048116, 1.051998]]),
    "no green": np.array(
        [[0.367322, 0.860646, -0.227968],
         [0.280085, 0.672501, 0.047413],
         [-0.011820, 0.042940, 0.968881]]),
    "no blue": np.array(
        [[1.255528, -0.076749, -0.178779],
         [-0.078411, 0.930809, 0.147602],
         [0.004733, 0.691367, 0.303900]]),
}  # fmt: skip

XYZ = np.array(
    [[0.4124564, 0.3575761, 0.1804375],
     [0.2126729, 0.7151522, 0.0721750],
     [0.0193339, 0.1191920, 0.9503041]])  # fmt: skip
D65 = np.array([0.95047, 1.0, 1.08883])

THEME = tomllib.loads(
    (Path(__file__).resolve().parents[3] / ".streamlit" / "config.toml").read_text("utf-8")
)["theme"]
NEVER_TOGETHER = {frozenset(("host", "op"))}
"""A run of this lab has host work, a profile has operators."""


def linear(color: str) -> Floats:
    """Linear sRGB of "#RRGGBB" (IEC 61966-2-1)."""
    parts = np.array([int(color[at : at + 2], 16) / 255 for at in (1, 3, 5)])
    return np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)


def lab_of(rgb: Floats) -> Floats:
    """L*a*b* of linear sRGB (CIE 15)."""
    share = XYZ @ np.clip(rgb, 0, 1) / D65
    root = np.where(share > (6 / 29) ** 3, np.cbrt(share), share / (3 * (6 / 29) ** 2) + 4 / 29)
    x, y, z = root
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def difference(one: str, other: str) -> float:
    """The smallest difference that anybody sees between two colours."""
    pairs = ((lab_of(eye @ linear(one)), lab_of(eye @ linear(other))) for eye in VISION.values())
    return min(float(np.linalg.norm(a - b)) for a, b in pairs)


def hatch(style: Style) -> tuple[str, str]:
    return style.pattern, style.line if style.pattern else ""


def can_be_told(one: Style, other: Style) -> bool:
    """By the pattern, by a hatch that is dark on one and light on the other, or by the fill."""
    if one.pattern != other.pattern:
        return True
    if one.pattern and difference(one.line, other.line) >= LEAST:
        return True
    return difference(one.fill, other.fill) >= LEAST


def test_every_two_kinds_of_spans_differ_by_pattern_or_by_a_colour_that_everybody_sees() -> None:
    alike = [
        (one, other)
        for one, other in combinations(STYLES, 2)
        if not can_be_told(STYLES[one], STYLES[other])
        and frozenset((one, other)) not in NEVER_TOGETHER
    ]
    assert alike == []


def test_the_slots_differ_without_any_colour() -> None:
    assert len({STYLES[f"kernel {slot}"].pattern for slot in range(len(SLOT_HUES))}) == 4


def test_what_is_never_together_would_be_found() -> None:
    assert not can_be_told(STYLES["host"], STYLES["op"])
    assert not can_be_told(STYLES["kernel 0"], STYLES["kernel 0"])


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_span_is_seen_on_the_page(theme: str) -> None:
    page = THEME[theme]["backgroundColor"]
    for name, style in STYLES.items():
        seen = max(difference(style.fill, page), difference(style.line or style.fill, page))
        assert seen >= LEAST_ON_PAGE, name
    assert max(difference(color, page) for color in (PATH_HUE, PATH_EDGE)) >= LEAST
    assert difference(ALARM, page) >= LEAST and difference(GAP, page) >= LEAST


def test_the_alarm_is_seen_on_every_span() -> None:
    assert min(difference(ALARM, style.fill) for style in STYLES.values()) >= LEAST


def test_the_simulation_is_right() -> None:
    """Grey stays grey, red and green come together, white is white."""
    for eye in VISION.values():
        assert eye.sum(axis=1) == pytest.approx(1.0, abs=1e-5)
    assert lab_of(linear("#FFFFFF")) == pytest.approx([100, 0, 0], abs=0.02)
    assert lab_of(linear("#FF0000")) == pytest.approx([53.24, 80.09, 67.20], abs=0.02)
    seen = [lab_of(VISION["no green"] @ linear(color)) for color in ("#8B4513", "#556B2F")]
    plain = [lab_of(linear(color)) for color in ("#8B4513", "#556B2F")]
    assert np.linalg.norm(seen[0] - seen[1]) < 0.5 * np.linalg.norm(plain[0] - plain[1])
