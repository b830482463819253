"""Times of the Chrome format, µs in decimal text, to integer nanoseconds and back, exactly.

The format always means µs; `displayTimeUnit` only says how a viewer prints them. Times
are taken from the digits: a float has no room for an epoch time with its nanoseconds.
"""

import re
from decimal import Decimal, InvalidOperation

LIMIT_NS = 1 << 61
"""73 years. Sums and differences of such times still fit int64."""

MAX_DIGITS = 16
NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
FRACTIONS_NS = {b"": 0} | {
    f"{ns:03}"[:digits].encode(): ns
    for digits in (1, 2, 3)
    for ns in range(0, 1000, 10 ** (3 - digits))
}
"""ns of every fraction of a µs with up to three decimals; nearly all times have these."""


def to_ns(us: bytes) -> int | None:
    """Integer ns, to the nearest, of a time in µs as JSON text (a number, or one in quotes).

    None for what is no time, or not within `LIMIT_NS` of zero.
    """
    whole, _, fraction = us.partition(b".")
    rest = FRACTIONS_NS.get(fraction)
    if rest is not None and whole.isdigit() and len(whole) <= MAX_DIGITS:
        ns = int(whole) * 1000 + rest
        return ns if ns < LIMIT_NS else None
    return _from_decimal(us.strip(b'"'))


def to_us(ns: int) -> bytes:
    """µs as JSON text, with no more decimals than needed."""
    whole, rest = divmod(abs(ns), 1000)
    sign = "-" if ns < 0 else ""
    fraction = f".{rest:03}".rstrip("0") if rest else ""
    return f"{sign}{whole}{fraction}".encode()


def decimal(text: str) -> Decimal | None:
    """The number in a text, exactly; None for what is none, and for digits other than 0 to 9 or
    with `_` between them, which `Decimal` would take."""
    try:
        return Decimal(text) if NUMBER.fullmatch(text) else None
    except InvalidOperation:  # an exponent beyond all bounds
        return None


def _from_decimal(digits: bytes) -> int | None:
    """Negative times, exponents, many decimals, and what is no time at all."""
    us = decimal(digits.decode("ascii", "replace"))
    if us is None or us.adjusted() > MAX_DIGITS:
        return None
    ns = int((us * 1000).to_integral_value())
    return ns if -LIMIT_NS < ns < LIMIT_NS else None
