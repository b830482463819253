"""What a URL asks for in vain: nothing that the lab itself writes, everything else by name."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.mechanisms import TABLE
from engine.modes import MODES
from engine.workloads import WORKLOADS
from lab.address import refused
from lab.state import Choice

changes = st.fixed_dictionaries(
    {}, optional={info.name: st.sampled_from(info.values) for info in TABLE}
)


@given(
    st.sampled_from(sorted(MODES)), changes, st.sampled_from(sorted(WORKLOADS)),
    st.integers(1, 64), st.integers(0, 2**31 - 1), st.floats(0, 90),
)  # fmt: skip
def test_nothing_that_a_copied_link_holds_is_refused(
    mode: str, changed: dict[str, str], workload: str, batch: int, seed: int, jitter: float
) -> None:
    choice = Choice(mode, changed, "", workload, batch=batch, seed=seed, jitter=jitter)
    assert refused(choice.query()) == []


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("mode", "no-such"), ("wait_h2d", "maybe"), ("depth", "-7"), ("depth", "65"),
        ("cost", "x"), ("workload", "<b>"), ("batch", "0"), ("steps", "1.5"), ("seed", "-1"),
        ("jitter", "1e9"), ("jitter", "nan"), ("t0", "abc"), ("compute", "perhaps"),
    ],
)  # fmt: skip
def test_a_value_that_cannot_be_used_is_named(name: str, value: str) -> None:
    assert refused({"tab": "none", name: value, "pins": ""}) == [f"{name}={value}"]


def test_a_long_value_is_cut() -> None:
    assert len(refused({"mode": "x" * 5000})[0]) < 60
