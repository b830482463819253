"""The Stepper page in a real browser: by keyboard alone, and from page to page."""

import re

import pytest

from tests.browser.test_lab import SHORT, open_page, overflow_px, settle

pytestmark = pytest.mark.browser


def now(page) -> str:
    """What the page says of the instant: time, number of the change, the host."""
    told = page.locator("[data-testid=stMain] p", has_text=re.compile(r"change \d+ of"))
    return told.first.inner_text()


def press(page, key: str) -> str:
    before = now(page)
    page.keyboard.press(key)
    page.wait_for_function(
        """before => !Array.from(document.querySelectorAll("[data-testid=stMain] p"))
             .some(p => p.innerText === before)""",
        arg=before,
    )
    settle(page)
    return now(page)


def test_the_keyboard_steps_forward_and_back_and_plays(page) -> None:
    open_page(page, f"/stepper?{SHORT}&at=40.552")
    start = now(page)
    after = press(page, "ArrowRight")
    assert after != start
    page.wait_for_url("**at=40.56**")
    assert press(page, "ArrowLeft") == start
    number = int(re.search(r"change (\d+) of", start)[1])
    for key, there in (("ArrowRight", number + 7), ("ArrowLeft", number)):
        for _ in range(7):  # faster than the page is drawn
            page.keyboard.press(key)
        page.get_by_text(f"change {there} of").wait_for()
    settle(page)
    assert "(batch 3)" in press(page, "Shift+ArrowRight")
    page.keyboard.press("Space")
    page.get_by_role("button", name="Pause").wait_for()
    playing = now(page)
    page.wait_for_function(
        """before => !Array.from(document.querySelectorAll("[data-testid=stMain] p"))
             .some(p => p.innerText === before)""",
        arg=playing,
    )
    page.keyboard.press("Space")
    page.get_by_role("button", name="Play").wait_for()
    settle(page)
    rest = now(page)
    page.wait_for_timeout(2000)
    assert now(page) == rest
    assert page.get_by_role("button", name="Play").count() == 1
    page.wait_for_url(f"**at={float(rest.split()[0])}")


def test_the_keyboard_forks_the_run_and_adds_the_edge_of_a_fix(page) -> None:
    open_page(page, f"/stepper?{SHORT}&at=60")
    page.keyboard.press("f")
    page.get_by_text("First difference:").wait_for()
    page.wait_for_url("**fork_set=h2d%3D3x**")
    settle(page)
    picture = page.locator("[data-testid=stPlotlyChart]").first
    assert "parent: the run as it was" in picture.inner_text()
    assert "fork from 60.000000 ms on: h2d=3x" in picture.inner_text()
    page.get_by_role("button", name="span h2d").focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**at=68.566**")
    open_page(page, f"/timeline?mode=no-wait-compute&{SHORT}&tab=hazards")
    page.locator("summary", has_text="Anatomy").first.focus()
    page.keyboard.press("Enter")
    add = page.get_by_label("Add the edge").first
    add.wait_for(state="attached")
    add.focus()
    page.keyboard.press("Space")
    page.get_by_text("With the edge added this hazard is gone.").wait_for()


def test_the_run_goes_along_from_the_timeline_to_the_stepper_and_back(page) -> None:
    open_page(page, f"/timeline?mode=no-wait-h2d&{SHORT}&wait_compute=off&t0=20&t1=60&pins=")
    page.get_by_role("link", name="Open in the stepper").click()
    page.wait_for_url("**/stepper?**")
    page.locator(".stepper").first.wait_for()
    settle(page)
    assert "40.000000 ms" in now(page)
    for part in ("mode=no-wait-h2d", "wait_compute=off", SHORT, "at=40"):
        assert part in page.url
    page.get_by_role("link", name="Show this stretch on the Timeline page").click()
    page.wait_for_url("**/timeline?**")
    page.wait_for_selector("b.wrong")
    assert "wait_compute=off" in page.url and "t0=" in page.url


def test_an_instant_can_be_shared(page) -> None:
    open_page(page, f"/stepper?mode=single-buffer&{SHORT}&at=66.5")
    shown = page.locator(".stepper").all_inner_texts()
    page.reload()
    page.wait_for_selector(".nsewdrag", state="attached")
    settle(page)
    assert "66.500000 ms" in now(page)
    assert page.locator(".stepper").all_inner_texts() == shown


def test_the_stepper_fits_a_narrow_window_and_asks_for_nothing_outside(page) -> None:
    page.set_viewport_size({"width": 400, "height": 800})
    open_page(page, f"/stepper?{SHORT}")
    assert overflow_px(page) <= 1
    assert page.locator("[role=figure][aria-label^='Timeline of the run']").count() == 1
    assert page.outside == []
