"""The course in a real browser: what is predicted outlives a reload, and a link its language."""

import re

import pytest

from tests.browser.test_lab import box_at_rest, settle

pytestmark = pytest.mark.browser


def test_a_prediction_outlives_a_reload_and_stays_hidden_until_it_is_made(page) -> None:
    page.set_default_timeout(90_000)  # the first visit loads the course and runs a scene
    page.goto("/lessons?lesson=04&lang=zh")
    page.get_by_role("heading", name="流水线算术").wait_for()
    page.get_by_label("你的数字（ms）").fill("26")
    page.get_by_label("你的数字（ms）").press("Enter")
    settle(page)
    page.get_by_role("button", name="保存我的预测并显示运行").click()
    page.wait_for_url("**part=see**")
    page.wait_for_selector(".nsewdrag", state="attached")
    settle(page)
    assert "lang=zh" in page.url and "lesson=04" in page.url
    assert "26.0" in page.evaluate("localStorage.getItem('overlap-lab-progress')")
    page.reload()
    page.wait_for_selector(".nsewdrag", state="attached")
    page.get_by_role("button", name="转到那个运行").click()
    page.get_by_text("26.0 ms").wait_for()
    assert page.outside == []
    for language, title in (("English", "Pipeline arithmetic"), ("中文", "流水线算术")):
        page.get_by_text(language, exact=True).first.click()  # a choice is told by what it shows
        page.get_by_role("heading", name=title).wait_for()
        settle(page)
        assert "lesson=04&" in page.url and "part=see" in page.url


def test_an_arrow_that_is_clicked_in_the_timeline_is_chosen(page) -> None:
    page.set_default_timeout(90_000)
    page.goto("/lessons?lesson=07&part=predict")
    page.get_by_role("button", name="Go on without one").click()
    page.wait_for_url("**part=see**")
    page.get_by_text("Break or fix it", exact=True).first.click()
    page.get_by_role("button", name="Check this answer").first.wait_for()
    settle(page)
    number = page.locator(".js-plotly-plot .textpoint").filter(has_text=re.compile("^7$")).first
    box = box_at_rest(number)
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    settle(page)
    assert page.get_by_label("The arrow at fault").first.input_value().startswith("7 · ")
