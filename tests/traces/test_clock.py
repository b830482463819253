"""Times in µs to ns: exact from the digits."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from traces.clock import LIMIT_NS, to_ns, to_us


@given(st.integers(1 - LIMIT_NS, LIMIT_NS - 1))
def test_every_nanosecond_survives_the_way_through_text(ns):
    assert to_ns(to_us(ns)) == ns


@given(st.decimals(0, 10**12, places=6))
def test_more_decimals_than_a_nanosecond_has_are_rounded(us):
    assert abs(Decimal(to_ns(f"{us:f}".encode())) - us * 1000) <= Decimal("0.5")


@pytest.mark.parametrize(
    ("text", "ns"),
    [
        (b"1700000000000001.123", 1_700_000_000_000_001_123),
        (b'"1587.5"', 1_587_500),
        (b"1e3", 1_000_000),
        (b"-0.5", -500),
        (b"0", 0),
        (b"1.0000000000000002", 1000),
    ],
)
def test_every_way_of_writing_a_time_is_read(text, ns):
    assert to_ns(text) == ns


@pytest.mark.parametrize(
    "text",
    [b"", b"null", b"true", b'"soon"', b"1e99", b"9" * 40, b"NaN"]
    + [b'"1_000"', b'"1_0.5"', "１０".encode(), b'"inf"', b"1e99999999999999999999"],
)
def test_what_is_no_time_is_none(text):
    assert to_ns(text) is None
