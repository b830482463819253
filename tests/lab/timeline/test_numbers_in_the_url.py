"""Numbers that a URL may hold and no run can have: a page opens all the same, on every page."""

from itertools import cycle

import pytest

from engine.mechanisms.table import TABLE
from lab.timeline.address import refused
from lab.units import MOST_MS, NS_PER_MS, whole_ns
from tests.lab.apps import INSPECT, TIMELINE, open_page

WHOLE = ("batch", "steps", "requests", "seed", "timing", *(i.name for i in TABLE if i.is_number))
TIMES = ("t0", "t1", "w0", "w1", "r0", "r1", "at", "fork_at")
OTHERS = ("jitter", "cpu", "gpu", "lesson", "level", "round", "position", "move")
WILD = ("inf", "-inf", "1e400", "1e308", "9" * 400, "9" * 5000, "nan", "-1e308")
PAGES = ("", TIMELINE, INSPECT, *(
    f"lab/pages/{name}.py" for name in ("stepper", "races", "record", "host", "lessons", "compare")
))  # fmt: skip


@pytest.mark.parametrize("page", PAGES)
def test_a_page_opens_whatever_numbers_its_url_holds(page: str) -> None:
    shift = PAGES.index(page)  # so that each name meets other values on other pages
    values = cycle(WILD[shift % len(WILD) :] + WILD[: shift % len(WILD)])
    query = dict(zip((*WHOLE, *TIMES, *OTHERS), values, strict=False))
    app = open_page(page, **query, compute="off", workload="even")
    assert not app.exception


@pytest.mark.parametrize("value", WILD)
def test_a_number_that_no_run_can_have_is_named(value: str) -> None:
    assert len(refused(dict.fromkeys((*WHOLE, *TIMES[:2]), value))) == len(WHOLE) + 2


@pytest.mark.parametrize("ms", [1e308, float("inf"), MOST_MS])
def test_a_time_beyond_all_runs_is_cut(ms: float) -> None:
    assert whole_ns(ms) == -whole_ns(-ms) == round(MOST_MS) * NS_PER_MS
