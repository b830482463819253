"""Shares, changes and figures as text."""

from hypothesis import given
from hypothesis import strategies as st

from traces.units import percent, rounded, signed_ms, signed_percent


def test_shares_and_changes_have_their_sign_and_a_space_before_the_unit():
    assert (percent(0.7634), signed_percent(-0.231)) == ("76.3 %", "-23.1 %")
    assert (signed_ms(-8.4678), signed_ms(1234.5)) == ("-8.468", "+1,234.500")


@given(st.floats(-1e-12, 0.0))
def test_what_rounds_to_nothing_has_no_minus(nothing: float):
    assert percent(nothing) == "0.0 %"
    assert signed_percent(nothing) == "+0.0 %"
    assert signed_ms(nothing) == "+0.000"


@given(st.floats(1e-9, 1e14), st.sampled_from([1, -1]), st.integers(1, 8))
def test_a_figure_is_written_out_and_as_near_as_its_digits(size: float, sign: int, digits: int):
    told = rounded(sign * size, digits)
    assert "e" not in told and not told.endswith(".")
    assert abs(float(told.replace(",", "")) - sign * size) <= 0.5000001 * size * 10 ** (1 - digits)


def test_figures_as_people_write_them():
    figures = [(0.0, 3), (-0.0, 3), (1234.5, 3), (999.96, 3), (0.5, 4), (1e6, 6), (float("nan"), 3)]
    told = [rounded(value, digits) for value, digits in figures]
    assert told == ["0", "0", "1,234", "1,000", "0.5", "1,000,000", "nan"]
