"""Shares and changes as text."""

from hypothesis import given
from hypothesis import strategies as st

from traces.units import percent, signed_ms, signed_percent


def test_shares_and_changes_have_their_sign_and_a_space_before_the_unit():
    assert (percent(0.7634), signed_percent(-0.231)) == ("76.3 %", "-23.1 %")
    assert (signed_ms(-8.4678), signed_ms(1234.5)) == ("-8.468", "+1,234.500")


@given(st.floats(-1e-12, 0.0))
def test_what_rounds_to_nothing_has_no_minus(nothing: float):
    assert percent(nothing) == "0.0 %"
    assert signed_percent(nothing) == "+0.0 %"
    assert signed_ms(nothing) == "+0.000"
