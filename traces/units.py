"""Shares and changes as text, one way in every report; never a negative zero."""


def percent(share: float) -> str:
    """A share with one decimal: 0.763 -> "76.3 %"."""
    return f"{100 * share:z.1f} %"


def signed_percent(share: float) -> str:
    """A change as a share, with its sign: -0.231 -> "-23.1 %"."""
    return f"{100 * share:+z.1f} %"


def signed_ms(ms: float) -> str:
    """A change in ms with its sign and three decimals, without the unit: -8.4678 -> "-8.468"."""
    return f"{ms:+z,.3f}"
