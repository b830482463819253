"""Times and shares as text."""

from hypothesis import given
from hypothesis import strategies as st

from lab.units import exact_ms, percent, points, short_bytes, short_ms, whole_ns


@given(st.integers(-(10**15), 10**15))
def test_exact_times_lose_nothing(ns: int) -> None:
    assert round(float(exact_ms(ns).replace(",", "")) * 1e6) == ns


@given(st.floats(0, 1), st.floats(0, 1))
def test_a_change_in_points_is_that_of_the_figures_beside_it(share: float, before: float) -> None:
    shown = [round(10 * float(percent(one).split()[0])) for one in (share, before)]
    assert round(10 * float(points(share, before))) == shown[0] - shown[1]
    assert points(share, before) != "-0.0"


def test_times_take_the_unit_that_suits_them() -> None:
    times = [0, 45_000, 8_700_000, 120_000_000, 1_240_000_000]
    assert [short_ms(ns) for ns in times] == ["0 ms", "45 µs", "8.7 ms", "120 ms", "1.24 s"]
    assert percent(0.7634) == "76.3 %"
    assert whole_ns(1.2345674) == 1_234_567


def test_sizes_take_the_unit_that_suits_them() -> None:
    sizes = [0, 24, 61_440, 3_200_000, 5e9]
    assert [short_bytes(size) for size in sizes] == ["0 B", "24 B", "61.44 kB", "3.2 MB", "5 GB"]


@given(st.integers(1, 10**15))
def test_times_are_written_out_and_near(ns: int) -> None:
    told, unit = short_ms(ns).split()
    shown = float(told.replace(",", "")) * {"µs": 1e3, "ms": 1e6, "s": 1e9}[unit]
    assert "e" not in told and abs(shown - ns) <= 0.051 * ns
    assert unit == "s" or float(told.replace(",", "")) < 1000


@given(st.integers(1, 10**14))
def test_sizes_are_written_out_and_near(size: int) -> None:
    told, unit = short_bytes(size).split()
    shown = float(told.replace(",", "")) * {"B": 1, "kB": 1e3, "MB": 1e6, "GB": 1e9}[unit]
    assert "e" not in told and abs(shown - size) <= 0.0006 * size


def test_nothing_has_no_minus() -> None:
    assert (short_ms(-0.0), short_bytes(-0.0), exact_ms(0)) == ("0 ms", "0 B", "0.000000")
