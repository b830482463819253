"""The canvas of the Inspect page in a real browser: zoomed, walked, selected, read as a table."""

import re
import time
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.browser.test_lab import box_at_rest, settle

pytestmark = pytest.mark.browser

CANVAS = "canvas.canvas"


def answered(page) -> int:
    return int(page.locator(CANVAS).get_attribute("data-answered"))


def wait_for_answer(page, before: int) -> None:
    """Wait until the server has answered, and nothing moves any more."""
    deadline = time.monotonic() + 30
    while answered(page) <= before:
        assert time.monotonic() < deadline, "the server has not answered"
        page.wait_for_timeout(50)
    settle(page)


def window_ms(page) -> tuple[float, float]:
    """The window as the page tells it."""
    told = page.get_by_text("Shown:").inner_text()
    start, end = re.search(r"Shown: ([\d.,]+) to ([\d.,]+) ms", told).groups()
    return float(start.replace(",", "")), float(end.replace(",", ""))


def press(page, *keys: str) -> str:
    """Press keys on the canvas; what a screen reader was told."""
    for key in keys:
        page.keyboard.press(key)
    return page.locator(".said").inner_text()


def test_the_timeline_is_zoomed_selected_and_read_by_mouse_and_by_keyboard(page) -> None:
    page.goto("/inspect")
    page.locator(CANVAS).wait_for(timeout=90_000)  # the server may just have started
    settle(page)
    whole = window_ms(page)

    box = box_at_rest(page.locator(CANVAS))
    left, wide, y = box["x"] + 80, box["width"] - 100, box["y"] + 60
    before = answered(page)
    page.mouse.move(left + wide / 4, y)
    page.mouse.down()
    page.mouse.move(left + wide / 2, y, steps=4)
    page.mouse.up()
    wait_for_answer(page, before)
    zoomed = window_ms(page)
    length = whole[1] - whole[0]
    assert zoomed[1] - zoomed[0] == pytest.approx(length / 4, rel=0.1)
    query = parse_qs(urlsplit(page.url).query)
    in_url = float(query["w0"][0]), float(query["w1"][0])
    assert in_url == pytest.approx(zoomed, abs=0.001)

    before = answered(page)
    page.keyboard.down("Control")
    for _ in range(4):
        page.mouse.wheel(0, -100)
    page.keyboard.up("Control")
    wait_for_answer(page, before)
    nearer = window_ms(page)
    assert nearer[1] - nearer[0] < 0.5 * (zoomed[1] - zoomed[0])

    page.get_by_role("button", name="Back", exact=True).click()
    page.get_by_role("button", name="Reset zoom").click()
    settle(page)
    assert window_ms(page) == whole

    page.locator(CANVAS).focus()
    first, second = press(page, "ArrowRight"), press(page, "ArrowRight")
    assert first.startswith("host; ") and second.startswith("host; ") and first != second
    assert "ms)" in second
    below = press(page, *["ArrowDown"] * 5)  # the waits, the launches, H2D, idle time, kernels
    while not below.startswith("compute; layer"):
        beside = press(page, "ArrowRight")
        assert beside != below, "no kernel can be told alone"
        below = beside
    before = answered(page)
    page.keyboard.press("Enter")
    wait_for_answer(page, before)
    panel = page.locator(".st-key-selected")
    assert below.split("; ")[1] in panel.inner_text()

    page.locator("details.table summary").click()
    current = page.locator("details.table tr[aria-current=true]")
    assert below.split("; ")[1] in current.inner_text()
    assert page.locator("details.table thead th").all_inner_texts()[:2] == ["What", "Lane"]
    before = answered(page)
    page.locator("details.table tbody button").nth(1).press("Enter")
    wait_for_answer(page, before)
    assert current.locator("button").inner_text() == (
        page.locator("details.table tbody button").nth(1).inner_text()
    )
    page.locator(CANVAS).focus()
    before = answered(page)
    press(page, "Escape")
    wait_for_answer(page, before)
    assert panel.count() == 0 and current.count() == 0
    assert page.outside == []
