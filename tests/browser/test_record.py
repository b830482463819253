"""The Record page in a real browser: stopped half way, and taken along to Inspect."""

import pytest

from tests.browser.test_lab import overflow_px, settle, timeline

pytestmark = pytest.mark.browser


def start(page) -> None:
    page.locator(".st-key-record-start button").first.click()


def test_a_recording_is_stopped_then_made_and_opened_in_inspect(page) -> None:
    page.set_viewport_size({"width": 800, "height": 1000})
    page.goto("/record?steps=400")
    page.locator(".st-key-record-way").wait_for(timeout=90_000)  # the server may just have started
    page.get_by_text("Paced", exact=True).click()
    settle(page)
    start(page)
    page.locator(".st-key-record-stop button").first.click()
    page.get_by_text("Press “Record”").wait_for()
    settle(page)
    assert page.locator(".st-key-record-stop").count() == 0
    assert page.locator("[data-testid=stMetric]").count() == 0

    page.goto("/record?steps=8")
    page.locator(".st-key-record-start").wait_for()
    start(page)  # refused if the other one still went on
    page.locator("[data-testid=stMetric]").first.wait_for()
    page.wait_for_selector(".nsewdrag", state="attached")
    settle(page)
    shown = timeline(page)
    assert {"kernel 0", "kernel 1"} <= set(shown["bars"])
    assert overflow_px(page) <= 0
    page.get_by_role("link", name="Open in Inspect").click()
    page.wait_for_url("**/inspect?**")
    page.get_by_text("A run of this lab: mode async").wait_for()
    assert page.outside == []
