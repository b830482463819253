"""The Play page in a real browser: a level won by keyboard alone."""

import re

import pytest

from engine.play import LEVELS
from tests.browser.test_lab import open_page, overflow_px, settle

pytestmark = pytest.mark.browser


def press(page, keys: str, before: str = "") -> None:
    """One key after the other, each once the one before has been carried out: `before` and the
    keys are then the program. Two keys that reach a busy server together come in any order."""
    for key in keys:
        page.keyboard.press(key)
        before += key
        page.wait_for_url(re.compile(rf"[?&]moves={before}(&|$)"))
    settle(page)


def test_a_level_is_won_by_keyboard_alone_and_a_slip_is_taken_back(page) -> None:
    level = LEVELS["wait-h2d"]
    page.set_viewport_size({"width": 800, "height": 1000})
    open_page(page, "/host?solved=1")
    page.keyboard.press("n")
    page.wait_for_url("**level=wait-h2d**")
    settle(page)
    press(page, "whk")
    alert = page.locator("[data-testid=stAlert]")
    alert.get_by_text("RAW device inputs").wait_for()
    page.keyboard.press("Backspace")
    alert.get_by_text("RAW device inputs").wait_for(state="detached")
    press(page, level.solution[2:], before="wh")
    alert.get_by_text("Solved.").wait_for()
    page.wait_for_url(f"**moves={level.solution}&solved=1.2")
    assert overflow_px(page) <= 1
    assert page.locator("[role=figure][aria-label^='Timeline of the program']").count() == 1
    won = page.url
    page.keyboard.press("n")
    page.wait_for_url(f"**level={[*LEVELS][2]}**")
    settle(page)
    assert page.locator("[data-testid=stException]").count() == 0
    page.goto(won)
    alert.get_by_text("Solved.").wait_for()
    assert page.outside == []
