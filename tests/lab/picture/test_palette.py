"""Names can be read on the bars they stand in, and alarms on the page."""

import tomllib
from pathlib import Path

import pytest

from lab.picture.palette import ALARM, ALARM_TEXT, SLOT_PATTERNS, STYLES, Style

CONFIG = Path(__file__).resolve().parents[3] / ".streamlit" / "config.toml"


def luminance(color: str) -> float:
    """Relative luminance, as WCAG 2 defines it."""
    parts = [int(color[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.03928 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("style", [s for s in STYLES.values() if s.text], ids=str)
def test_a_name_has_a_contrast_of_at_least_4_5(style: Style) -> None:
    assert contrast(style.text, style.fill) >= 4.5


@pytest.mark.parametrize("style", [s for s in STYLES.values() if s.text], ids=str)
def test_a_name_on_a_dense_hatch_stands_in_the_colour_of_the_fill(style: Style) -> None:
    assert (style.fill in style.halo) == (style.pattern not in SLOT_PATTERNS)


def mixed(share: float, one: str, other: str) -> str:
    """What CSS makes of color-mix(in srgb, `one` share, `other`)."""
    parts = (
        round(share * int(one[at : at + 2], 16) + (1 - share) * int(other[at : at + 2], 16))
        for at in (1, 3, 5)
    )
    return "#" + "".join(f"{part:02X}" for part in parts)


@pytest.mark.parametrize("name", ["light", "dark"])
def test_an_alarm_can_be_read_on_the_page(name: str) -> None:
    theme = tomllib.loads(CONFIG.read_text("utf-8"))["theme"][name]
    assert ALARM_TEXT == f"color-mix(in srgb, {ALARM} 80%, currentColor)"
    for text in (mixed(0.8, ALARM, theme["textColor"]), theme["redTextColor"]):
        assert contrast(text, theme["backgroundColor"]) >= 4.5
        assert contrast(text, theme["secondaryBackgroundColor"]) >= 4.5


def test_black_on_white_is_21() -> None:
    assert contrast("#000000", "#FFFFFF") == pytest.approx(21)
