"""Shares, changes and figures as text, one way in every report; never a negative zero."""

from math import floor, isfinite, log10

WRITTEN_OUT = (1e-9, 1e15)
"""Sizes between which a figure has no exponent."""


def percent(share: float) -> str:
    """A share with one decimal: 0.763 -> "76.3 %"."""
    return f"{100 * share:z.1f} %"


def signed_percent(share: float) -> str:
    """A change as a share, with its sign: -0.231 -> "-23.1 %"."""
    return f"{100 * share:+z.1f} %"


def signed_ms(ms: float) -> str:
    """A change in ms with its sign and three decimals, without the unit: -8.4678 -> "-8.468"."""
    return f"{ms:+z,.3f}"


def rounded(value: float, digits: int) -> str:
    """A figure with up to so many digits, as people write it: 1234.5 with 3 -> "1,234" and not
    1.23e+03, 0.5 -> "0.5". Figures beyond all use keep their exponent."""
    least, most = WRITTEN_OUT
    if not isfinite(value) or (value and not least <= abs(value) < most):
        return f"{value:.{digits}g}"
    size = floor(log10(abs(float(f"{value:.{digits}g}")))) if value else 0
    text = f"{value:z,.{max(0, digits - 1 - size)}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
