"""The Play page in a real browser: a level won by keyboard alone, however fast it is pressed."""

import re

import pytest

from engine.play import LEVELS
from tests.browser.test_lab import open_page, overflow_px, settle

pytestmark = pytest.mark.browser


def test_a_level_is_won_by_keyboard_alone_and_a_slip_is_taken_back(page) -> None:
    level = LEVELS["wait-h2d"]
    page.set_viewport_size({"width": 800, "height": 1000})
    open_page(page, "/host?solved=1")
    page.keyboard.press("n")
    page.wait_for_url("**level=wait-h2d**")
    settle(page)
    page.keyboard.type("whk")
    alert = page.locator("[data-testid=stAlert]")
    alert.get_by_text("RAW device inputs").wait_for()
    page.keyboard.press("Backspace")
    alert.get_by_text("RAW device inputs").wait_for(state="detached")
    page.keyboard.type(level.solution[2:])
    alert.get_by_text("Solved.").wait_for()
    page.wait_for_url(f"**moves={level.solution}&solved=1.2")
    assert overflow_px(page) <= 1
    assert page.locator("[role=figure][aria-label^='Timeline of the program']").count() == 1
    won = page.url
    page.keyboard.type("nwhk25d3")  # all at once: the next level, and a part of its program
    page.wait_for_url(re.compile(f"level={[*LEVELS][2]}&moves=whk25d3(&|$)"))
    page.get_by_role("button", name="Write inputs").click()  # not possible, so left out
    page.get_by_role("button", name="Step back").click()
    page.keyboard.type("36")
    page.wait_for_url("**moves=whk25d36&**")  # a place in the history: Back comes to it below
    page.keyboard.type("g")
    alert.get_by_text("Solved.").wait_for()
    page.wait_for_url("**moves=whk25d36g&solved=1.2.3")
    settle(page)
    assert page.locator("[data-testid=stException]").count() == 0
    page.go_back()
    page.wait_for_url("**moves=whk25d36&**")
    alert.get_by_text("Still open.").wait_for()
    page.goto(won)
    alert.get_by_text("Solved.").wait_for()
    page.get_by_text("中文").click()
    alert.get_by_text("通过了。").wait_for()
    page.get_by_text("English").click()
    alert.get_by_text("Solved.").wait_for()
    page.keyboard.press("Backspace")
    page.wait_for_url(f"**moves={level.solution[:-1]}&**")
    settle(page)
    assert page.locator("[data-testid=stException]").count() == 0 and page.outside == []
