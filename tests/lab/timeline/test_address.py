"""What a URL asks for in vain: nothing that the lab itself writes, everything else by name."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.mechanisms.table import BY_NAME, TABLE
from engine.mechanisms.toggles import Info
from engine.modes.table import MODES
from engine.workloads.presets import WORKLOADS
from lab.timeline.address import refused
from lab.timeline.state import Choice

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
        ("jitter", "1e9"), ("jitter", "nan"), ("t0", "abc"), ("cpu", "999"), ("compute", "perhaps"),
    ],
)  # fmt: skip
def test_a_value_that_cannot_be_used_is_named(name: str, value: str) -> None:
    assert refused({"tab": "none", name: value, "pins": ""}) == [f"{name}={value}"]


@pytest.mark.parametrize("info", TABLE, ids=lambda info: info.name)
def test_a_misspelt_toggle_is_named_with_the_one_that_was_meant(info: Info) -> None:
    value = info.values[-1]
    for slip in (info.name.upper(), info.name + "s", info.name[:-1] + "x"):
        if slip not in BY_NAME and len(info.name) > 5:
            (told,) = refused({slip: value})
            assert told.startswith(f"{slip}={value} (") and told.endswith("?)")


def test_names_of_other_pages_are_no_slips() -> None:
    others = ("pins", "tab", "view", "cpu", "gpu", "lang", "lesson", "part", "lock", "sample", "x")
    assert refused(dict.fromkeys(others, "1")) == []


def test_a_long_value_is_cut() -> None:
    assert len(refused({"mode": "x" * 5000})[0]) < 60
