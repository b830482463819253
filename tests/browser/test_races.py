"""The race explorer in a real browser: hundreds of runs, shared between processes of the server."""

import pytest

from tests.browser.test_lab import settle

pytestmark = pytest.mark.browser


def test_two_hundred_runs_are_shared_between_processes(page) -> None:
    page.goto("/races?mode=no-wait-compute&steps=4&requests=3")
    button = page.locator(".st-key-races-start button")
    button.wait_for()
    page.locator(".st-key-races-runs").get_by_text("200", exact=True).click()
    settle(page)
    button.click()
    page.get_by_text("200 of 200").wait_for()
    settle(page)
    assert page.locator("[data-testid=stAlert], [data-testid=stException]").count() == 0
