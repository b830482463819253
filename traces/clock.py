"""Times of the Chrome format, µs in decimal text, to integer nanoseconds and back, exactly.

The format always means µs; `displayTimeUnit` only says how a viewer prints them. Times
are taken from the digits: a float has no room for an epoch time with its nanoseconds.
"""

from decimal import Decimal, InvalidOperation

LIMIT_NS = 1 << 62
MAX_EXPONENT = 18


def to_ns(us: bytes) -> int | None:
    """Integer ns, to the nearest, of a time in µs as JSON text (a number, or one in quotes).

    None for what is no time or does not fit int64.
    """
    digits = us.strip(b'"')
    whole, _, fraction = digits.partition(b".")
    if fraction.isdigit() and whole.isdigit():
        ns = int(whole) * 1000 + int((fraction + b"00")[:3]) + (fraction[3:4] >= b"5")
    elif digits.isdigit() and len(digits) <= MAX_EXPONENT:
        ns = int(digits) * 1000
    else:
        return _from_decimal(digits)
    return ns if ns < LIMIT_NS else None


def to_us(ns: int) -> bytes:
    """µs as JSON text, with no more decimals than needed."""
    whole, rest = divmod(abs(ns), 1000)
    sign = "-" if ns < 0 else ""
    fraction = f".{rest:03}".rstrip("0") if rest else ""
    return f"{sign}{whole}{fraction}".encode()


def _from_decimal(digits: bytes) -> int | None:
    """Negative times, exponents, and what is no time at all."""
    try:
        us = Decimal(digits.decode("ascii", "replace"))
    except InvalidOperation:
        return None
    if not us.is_finite() or us.adjusted() > MAX_EXPONENT:
        return None
    ns = int((us * 1000).to_integral_value())
    return ns if -LIMIT_NS < ns < LIMIT_NS else None
