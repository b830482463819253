"""The server is killed in the middle of a lesson and started again: the page comes back."""

from pathlib import Path

import pytest

from deploy.__main__ import free_ports
from tests.browser.conftest import served
from tests.browser.test_lab import SHORT, settle

pytestmark = pytest.mark.browser

VALUES = "[data-testid=stMetricValue]"
SHOWS = f"""values => [...document.querySelectorAll({VALUES!r})]
  .map(e => e.innerText).join() === values.join()"""


def verdict(page) -> list[str]:
    page.wait_for_selector("b.wrong")
    settle(page)
    page.locator(VALUES).last.wait_for()  # a page that was just loaded may be drawn twice
    return page.locator(VALUES).all_inner_texts()


def test_the_url_brings_everything_back_after_the_server_was_killed(
    chromium, tmp_path: Path
) -> None:
    (port,) = free_ports(1)
    context = chromium.new_context(base_url=f"http://127.0.0.1:{port}")
    context.set_default_timeout(90_000)
    page = context.new_page()
    with served(port, tmp_path / "first.txt") as process:
        page.goto(f"/timeline?{SHORT}&wait_h2d=off&t0=20&t1=60")
        before = verdict(page)
        page.locator(".st-key-wait_compute").get_by_text("off", exact=True).click()
        page.wait_for_url("**wait_compute=off**")
        changed = verdict(page)
        assert changed != before
        url = page.url
        process.kill()
        process.wait(10)
    page.wait_for_selector("[data-testid=stApp]:not([data-test-connection-state=CONNECTED])")
    with served(port, tmp_path / "second.txt"):
        page.wait_for_selector("[data-testid=stApp][data-test-connection-state=CONNECTED]")
        page.wait_for_function(SHOWS, arg=changed)  # the open tab finds its way by itself
        assert page.url == url
        page.reload()
        assert (verdict(page), page.url) == (changed, url)
    context.close()
