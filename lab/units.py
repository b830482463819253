"""Times, shares and sizes as text: milliseconds everywhere, exact to the ns where asked."""

from traces.units import percent, rounded, signed_ms, signed_percent

__all__ = [
    "exact_ms", "percent", "points", "rounded", "short_bytes", "short_ms", "signed_ms",
    "signed_percent", "whole_ns",
]  # fmt: skip

NS_PER_MS = 1_000_000

MOST_MS = 1e12
"""The latest instant that can be asked for, some thirty years: no run is as long."""


def exact_ms(ns: int) -> str:
    """Milliseconds with all six decimals, without rounding: 1234567 -> "1.234567"."""
    sign = "-" if ns < 0 else ""
    whole, rest = divmod(abs(ns), NS_PER_MS)
    return f"{sign}{whole:,}.{rest:06d}"


def points(share: float, before: float) -> str:
    """A change of a share in percentage points, of both as `percent` shows them: 0.744 and 0.76
    give "-1.6"."""
    change = round(100 * share, 1) - round(100 * before, 1)
    return f"{change:+z.1f}"


def short_ms(ns: float) -> str:
    """A time with the unit that suits it, for labels: "8.7 ms", "45 µs", "1.24 s"."""
    ms = ns / NS_PER_MS
    if abs(ms) >= 999.5:
        return f"{ms / 1000:,.2f} s"
    if abs(ms) >= 100:
        return f"{ms:,.0f} ms"
    if abs(ms) >= 0.9995:
        return f"{ms:,.1f} ms"
    return f"{rounded(ns / 1000, 3)} µs" if ns else "0 ms"


def short_bytes(count: float) -> str:
    """A number of bytes with the unit that suits it (powers of ten): "61.4 kB", "3.2 MB"."""
    for factor, unit in ((1e9, "GB"), (1e6, "MB"), (1e3, "kB")):
        if abs(count) >= factor:
            return f"{rounded(count / factor, 4)} {unit}"
    return f"{rounded(count, 4)} B"


def whole_ns(ms: float) -> int:
    """Nanoseconds of a time in ms, rounded; a time beyond MOST_MS is taken for that."""
    return round(min(max(ms, -MOST_MS), MOST_MS) * NS_PER_MS)
