"""Every control is reached by Tab and seen to have the focus; pictures are saved in the browser."""

from pathlib import Path

import pytest

from tests.browser.test_lab import settle

pytestmark = pytest.mark.browser

MOST_TABS = 200
SHORT = "steps=6"
OTHERS = (
    "/", "/lessons", "/lessons?lesson=07", "/teachers", f"/timeline?{SHORT}", f"/stepper?{SHORT}",
    f"/races?{SHORT}", "/sweep", "/host", "/record", "/compare?a=sync&b=async", "/guide",
)  # fmt: skip
WITHOUT_PICTURE = (
    "/lessons", "/lessons?lesson=07", "/teachers", f"/races?{SHORT}", "/record", "/guide",
)  # fmt: skip

LISTEN = """() => {
  const every = root => [...root.querySelectorAll("*")].flatMap(
    element => [element, ...(element.shadowRoot ? every(element.shadowRoot) : [])]);
  const isControl = e => e.matches(
    "a[href], button, input, select, textarea, summary, [tabindex]:not(main)") && e.tabIndex >= 0
    && !e.disabled && e.checkVisibility({visibilityProperty: true});
  // what may show the focus: the element and the frames around it
  const look = e => {
    const found = [];
    for (let at = e; at && found.length < 5; at = at.parentElement) {
      const s = getComputedStyle(at);
      found.push([s.outlineStyle, s.outlineColor, s.boxShadow, s.borderColor, s.backgroundColor,
                  s.color, s.textDecorationLine, s.opacity].join());
    }
    return found.join("|");
  };
  const focused = () => {
    let e = document.activeElement;
    while (e?.shadowRoot?.activeElement) e = e.shadowRoot.activeElement;
    return e;
  };
  const style = document.createElement("style");
  style.textContent = "* { transition: none !important; }";
  document.head.append(style);
  const wanted = every(document.body).filter(isControl);
  const before = new Map(wanted.map(e => [e, look(e)]));
  const reached = new Set(), unseen = new Set();
  const name = e => e.outerHTML.slice(0, 160);
  window.reach = () => {
    const e = focused();
    if (!e || e === document.body) return false;
    reached.add(e);
    if (before.has(e) && look(e) === before.get(e)) unseen.add(e);
    return true;
  };
  // Tab comes to one of the choices of a group, and arrows go on from there
  const group = e => e.closest("[role=radiogroup], [role=toolbar]");
  const groups = () => new Set([...reached].map(group));
  const left = e => e.isConnected && !reached.has(e)
    && !(e.matches("[role=radio], [type=radio], [aria-pressed]") && group(e)
         && groups().has(group(e)));
  window.reachTold = () => ({
    wanted: wanted.length, unseen: [...unseen].map(name), left: wanted.filter(left).map(name)});
}"""


def walk(page) -> dict:
    """Press Tab until the page's end; what was not reached, and what did not show it.

    A box that scrolls takes the focus and may lose it to the page: the next Tab goes on from there.
    """
    page.evaluate(LISTEN)
    for _ in range(MOST_TABS):
        page.keyboard.press("Tab")
        if not page.evaluate("reach()") and not page.evaluate("reachTold()")["left"]:
            break
    return page.evaluate("reachTold()")


@pytest.mark.parametrize(
    "path", ["/inspect", *(pytest.param(path, marks=pytest.mark.slow) for path in OTHERS)]
)
def test_tab_reaches_every_control_and_it_is_seen(page, path: str) -> None:
    page.goto(path)
    ready = "h1" if path in WITHOUT_PICTURE else ".nsewdrag, canvas.canvas"
    page.locator(ready).first.wait_for(state="attached")
    settle(page)
    told = walk(page)
    assert told["wanted"] > 7
    assert told["left"] == [] and told["unseen"] == []


def test_a_picture_is_saved_as_png_svg_and_a_page_by_keyboard(page, tmp_path) -> None:
    page.goto("/")
    page.wait_for_selector(".nsewdrag", state="attached")
    settle(page)
    menu, saved = page.locator(".st-key-closing-save button").first, {}
    for name in ("PNG (pixels)", "SVG (lines)", "HTML (a page of its own)"):
        menu.press("Enter")
        settle(page)
        with page.expect_download() as download:
            page.get_by_role("button", name=name).press("Enter")
        path = Path(tmp_path) / download.value.suggested_filename
        download.value.save_as(path)
        saved[path.suffix] = path.read_bytes()
        page.keyboard.press("Escape")  # saving may have closed it already
        page.wait_for_selector(".st-key-closing-save button[aria-expanded=false]")
    assert saved[".png"].startswith(b"\x89PNG") and len(saved[".png"]) > 10_000
    assert b"<svg" in saved[".svg"] and b"Taking turns (sync)" in saved[".svg"]
    assert b"Plotly.newPlot" in saved[".html"]
    page.goto(f"file://{path}")
    page.wait_for_selector(".nsewdrag", state="attached")
    assert page.outside == [f"file://{path}"]
