"""The lab in a real browser: what no other test can see.

    pytest tests/browser

Runs are cut to a few steps in the URL, so that the pages answer quickly.
"""

import html
import json
from typing import Any

import pytest

pytestmark = pytest.mark.browser

SHORT = "steps=10"
PLOTS = "[data-testid=stPlotlyChart] .js-plotly-plot"


def open_page(page, path: str) -> None:
    """Go to a page, and wait until its first figure is drawn and the script has ended."""
    page.goto(path)
    page.wait_for_selector(".nsewdrag", state="attached")
    settle(page)


RESTS = """() => {
  const app = document.querySelector("[data-testid=stApp]");
  const spins = document.querySelector("[data-testid=stSpinner]");
  const rests = app?.dataset.testScriptState === "notRunning" && !spins;
  window.rested = rests ? (window.rested ?? 0) + 1 : 0;
  return window.rested > 3;
}"""
"""Asked every 100 ms: has the page's script been seen at rest four times in a row?"""


def settle(page) -> None:
    """Wait until the page's script has ended: what an earlier run drew is gone, too.

    One run may ask for another, so a moment's rest is not enough.
    """
    page.wait_for_timeout(200)
    page.evaluate("window.rested = 0")
    page.wait_for_function(RESTS, polling=100)


def figure(page, number: int) -> dict[str, Any]:
    """What the browser holds of a figure: bars by style, and the visible window."""
    script = """(plots, number) => {
      const plot = plots[number], list = values => Array.from(values ?? []);
      return JSON.stringify({
        window: plot.layout.xaxis.range,
        bars: Object.fromEntries(plot.data.filter(d => d.type === "bar").map(d => [d.name, {
          base: list(plot.calcdata[plot.data.indexOf(d)].map(p => p.b)),
          hover: list(d.hovertext)}])),
        drawn: plot.querySelectorAll(".bars .point path").length});
    }"""
    return json.loads(page.eval_on_selector_all(PLOTS, script, number))


def timeline(page) -> dict[str, Any]:
    """The large figure; the overview strip is the one before it."""
    return figure(page, 1)


def wait_for_window(page, window: list[float]) -> None:
    """Wait until the large figure shows a window, and stays with it."""
    for _ in range(2):
        page.wait_for_function(
            f"""window => {{
              const plot = document.querySelectorAll({PLOTS!r})[1];
              return plot?.layout && window.every(
                (end, i) => Math.abs(end - plot.layout.xaxis.range[i]) < 1e-6);
            }}""",
            arg=window,
        )
        settle(page)


def box_at_rest(shown) -> dict[str, float]:
    """Where something stands on the page, once it is drawn and moves no more."""
    shown.wait_for()
    before, box = None, shown.bounding_box()  # None while a figure is drawn anew
    while box is None or box != before:
        shown.page.wait_for_timeout(200)
        before, box = box, shown.bounding_box()
    return box


def drag(page, number: int, start: float, end: float) -> None:
    """Drag a box over a figure, from one share of its width to another."""
    box = box_at_rest(page.locator(f"{PLOTS} .nsewdrag").nth(number))
    middle = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + start * box["width"], middle)
    page.mouse.down()
    page.mouse.move(box["x"] + (start + end) / 2 * box["width"], middle, steps=4)
    page.mouse.move(box["x"] + end * box["width"], middle, steps=4)
    page.mouse.up()
    settle(page)


TEXT_FITS = """dark => {
    const text = document.querySelector(".ytick text");
    const rgb = text && getComputedStyle(text).fill.match(/\\d+/g);
    return rgb && (dark ? Math.max(...rgb.slice(0, 3)) > 200 : Math.max(...rgb.slice(0, 3)) < 100);
}"""


def wait_for_text_that_fits(page, scheme: str) -> None:
    """A change to that colour scheme makes a chart's labels bright, or dark."""
    page.emulate_media(color_scheme=scheme)
    page.wait_for_function(TEXT_FITS, arg=scheme == "dark")


def overflow_px(page) -> int:
    return page.eval_on_selector("[data-testid=stMain]", "e => e.scrollWidth - e.clientWidth")


def test_home_is_drawn_and_asks_for_nothing_outside(page) -> None:
    open_page(page, "/")
    shown = figure(page, 0)
    assert shown["drawn"] > 30
    assert {"host", "gap", "kernel 0", "kernel 1"} <= set(shown["bars"])
    assert page.locator("[role=figure][aria-label^='Two timelines']").count() == 1
    assert page.outside == []
    for scheme in ("dark", "light", "dark"):
        wait_for_text_that_fits(page, scheme)


def test_home_leads_to_a_broken_scene(page) -> None:
    open_page(page, "/")
    page.get_by_role("link", name="Break it").click()
    page.wait_for_url("**/timeline?mode=*")
    page.wait_for_selector("[data-testid=stMetric]")
    settle(page)
    page.locator("b.wrong").first.wait_for()


def test_a_switched_bug_shows_marked_tokens_and_its_fix(page) -> None:
    open_page(page, f"/timeline?{SHORT}")
    assert page.locator("b.wrong").count() == 0
    page.get_by_text("order", exact=True).click()
    switch = page.locator(".st-key-wait_compute")
    switch.get_by_text("off", exact=True).click()
    page.wait_for_url("**wait_compute=off**")
    page.wait_for_selector("b.wrong")
    wrong = page.locator("b.wrong").first
    color, around = wrong.evaluate(
        "e => [e, e.parentElement].map(one => getComputedStyle(one).color)"
    )
    line = wrong.evaluate("e => getComputedStyle(e).textDecorationLine")
    assert color != around and line == "underline"
    page.get_by_role("tab", name="Hazards").click()
    page.get_by_text("d2h.wait(batch.compute_done)").first.wait_for()


def test_a_shared_url_restores_the_page(page) -> None:
    query = f"mode=no-wait-compute&{SHORT}&depth=3&t0=20&t1=60&tab=hazards&pins=sync"
    open_page(page, f"/timeline?{query}")
    before = timeline(page)
    assert before["window"] == [20, 60]
    assert page.get_by_role("tab", name="Hazards").get_attribute("aria-selected") == "true"
    url = page.url
    assert all(part in url for part in query.split("&"))
    page.reload()
    page.wait_for_selector(".nsewdrag", state="attached")
    settle(page)
    assert timeline(page) == before
    assert page.url == url


def test_the_copied_link_opens_the_same_page(page) -> None:
    open_page(page, f"/timeline?mode=no-wait-compute&{SHORT}&wait_h2d=off&t0=20&t1=60&pins=async")
    before = timeline(page)
    page.get_by_role("button", name="Link", exact=True).click()
    copied = page.locator("[data-testid=stPopoverBody] code").inner_text()
    open_page(page, copied)
    assert "wait_h2d=off" in copied
    assert timeline(page) == before


def test_a_saved_trace_looks_the_same_when_opened(page, tmp_path) -> None:
    open_page(page, f"/timeline?mode=sync&{SHORT}&t0=0&t1=100&pins=")
    drawn = timeline(page)
    with page.expect_download() as download:
        page.get_by_role("button", name="Download trace").click()
    path = tmp_path / download.value.suggested_filename
    download.value.save_as(path)
    assert path.name == "overlap-lab-sync.json.gz"
    page.goto("/inspect?sample=none")
    page.wait_for_selector("input[type=file]", state="attached")
    page.set_input_files("input[type=file]", path)
    page.get_by_text("A run of this lab: mode sync").wait_for()
    for label, time_ms in (("From (ms)", "0"), ("To (ms)", "100")):
        page.get_by_label(label).fill(time_ms)
        page.get_by_label(label).press("Enter")
        settle(page)
    page.wait_for_url("**w0=0&w1=100**")
    page.get_by_text("Shown: 0.000 to 100.000 ms").wait_for()
    assert told_of_bars(page) == sorted(
        told_lines(hover) for bars in drawn["bars"].values() for hover in bars["hover"]
    )
    assert len(drawn["bars"]["gap"]["hover"]) > 2


def told_lines(hover: str) -> str:
    """A figure's hint as the table of the canvas has it: name, times, the rest."""
    name, times, *others = html.unescape(hover.replace("<b>", "").replace("</b>", "")).split("<br>")
    return "|".join([name, times, "; ".join(others)])


def told_of_bars(page) -> list[str]:
    """Every bar of the canvas, from the table that says the same."""
    page.locator("details.table summary").click()
    rows = page.locator("details.table tbody tr")
    rows.first.wait_for()
    cells = rows.evaluate_all("rows => rows.map(row => [...row.cells].map(c => c.textContent))")
    return sorted("|".join([name, times, more]) for name, _, times, more in cells)


def test_the_numbers_of_a_trace_open_on_the_timeline_and_stay_in_the_link(page) -> None:
    page.goto("/inspect?view=outlook")
    page.get_by_role("link", name="Try every mechanism on these numbers").click()
    page.wait_for_url("**/timeline**cost=C3.7*-G28-*")
    card = page.locator("[data-testid=stMetricValue]").nth(1)
    card.wait_for()
    before = card.inner_text()
    assert before.startswith("36.") and "mode=sync" in page.url
    page.reload()
    card.wait_for()
    assert card.inner_text() == before


def test_dragging_a_box_zooms_and_back_returns(page) -> None:
    open_page(page, f"/timeline?{SHORT}&compute=off")
    start, end = timeline(page)["window"]
    drag(page, 1, 0.25, 0.5)
    page.wait_for_url("**t0=**")
    settle(page)
    zoomed = timeline(page)["window"]
    assert zoomed[0] == pytest.approx(start + 0.25 * (end - start), abs=0.02 * (end - start))
    assert zoomed[1] == pytest.approx(start + 0.50 * (end - start), abs=0.02 * (end - start))
    page.locator(".st-key-pins").get_by_text("sync", exact=True).first.click()
    page.wait_for_url("**pins=**")
    wait_for_window(page, zoomed)
    page.get_by_role("button", name="Back", exact=True).click()
    page.wait_for_function("!location.search.includes('t0=')")
    wait_for_window(page, [start, end])


@pytest.mark.parametrize("path", ["/", f"/timeline?mode=single-buffer&{SHORT}", "/inspect"])
def test_a_narrow_window_shows_everything_in_its_width(page, path: str) -> None:
    page.set_viewport_size({"width": 400, "height": 800})
    page.goto(path)
    pictures = page.locator(f"{PLOTS}, canvas.canvas")
    pictures.first.wait_for()
    page.wait_for_selector("[data-testid=stMarkdown]")
    settle(page)
    assert overflow_px(page) <= 1
    wide = pictures.evaluate_all("drawn => drawn.map(d => d.getBoundingClientRect().right)")
    assert wide and all(right <= 401 for right in wide)


def test_a_bad_file_is_refused_in_one_sentence(page, tmp_path) -> None:
    bad = tmp_path / "notes.txt"
    bad.write_text("no trace at all")
    page.goto("/inspect?sample=none")
    page.wait_for_selector("input[type=file]", state="attached")
    page.set_input_files("input[type=file]", bad)
    alert = page.locator("[data-testid=stAlert]").first
    alert.wait_for()
    assert "Traceback" not in page.content()
    assert len(alert.inner_text().split()) > 4


def test_the_axis_of_a_long_run_has_its_numbers_written_out(page) -> None:
    page.goto("/timeline?steps=4&cost=C4000-G9000-F100&pins=")
    page.wait_for_selector(".nsewdrag", state="attached")
    settle(page)
    strip = page.locator(".js-plotly-plot").first.locator(".xtick text").all_text_contents()
    assert len(strip) > 2 and strip[-1].endswith(" ms")
    numbers = [int(text.removesuffix(" ms").replace(",", "")) for text in strip]
    assert numbers == [n * numbers[1] for n in range(len(numbers))] and numbers[-1] > 10_000
