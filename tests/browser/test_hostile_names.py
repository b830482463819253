"""Names from files and from the URL are text in a real browser: no markup of any kind works."""

import json
from pathlib import Path
from urllib.parse import urlencode

import pytest

from engine.mechanisms.table import TABLE
from tests.browser.test_lab import PLOTS, settle

pytestmark = pytest.mark.browser

MARKUP = (
    '<img src="http://evil.invalid/a.png" onerror="window.hacked=1">',
    '"><svg onload="window.hacked=1">',
    "<script>window.hacked=1</script>",
    "<b>payload</b>",
    "x<extra>payload</extra>",
    "%{x} %{customdata} payload",
    r"$\frac{payload}{b}$",
    "**payload** __payload__ `payload`",
    "[payload](http://evil.invalid)",
    "![payload](http://evil.invalid/b.png)",
    ":red[payload] :material/payload:",
    "<a href='javascript:window.hacked=1'>payload</a>",
)
FOUND = """() => {
  const found = [], tags = "b, strong, em, i, code, a, del, u, extra, span, tspan";
  const look = (root) => {
    for (const e of root.querySelectorAll("[src*='evil.invalid'], [href*='evil.invalid']"))
      found.push(e.outerHTML.slice(0, 200));
    for (const e of root.querySelectorAll("[href^='javascript'], [onerror], [onload], .katex"))
      found.push(e.outerHTML.slice(0, 200));
    for (const e of root.querySelectorAll(tags))
      if (e.textContent.trim() === "payload" && !e.children.length)
        found.push(e.outerHTML.slice(0, 200));
    for (const e of root.querySelectorAll("*")) if (e.shadowRoot) look(e.shadowRoot);
  };
  look(document);
  return window.hacked ? [...found, "a script ran"] : found;
}"""


A_BAR = """plot => {
  const bars = plot.data.filter(d => d.type === "bar"), traces = plot.querySelectorAll(".bars");
  for (const [i, bar] of bars.entries())
    for (const [j, text] of [...(bar.hovertext ?? [])].entries()) {
      const box = traces[i]?.querySelectorAll(".point")[j]?.getBoundingClientRect();
      if (text.includes("payload") && box?.width > 2)
        return [box.x + box.width / 2, box.y + box.height / 2];
    }
}"""
"""Where a bar of a hostile name stands."""


@pytest.fixture
def victim(page):
    """The page, and what it asked the reader."""
    page.set_default_timeout(60_000)
    page.asked = []
    page.on("dialog", lambda dialog: (page.asked.append(dialog.message), dialog.dismiss()))
    return page


def assert_harmless(page, where: str) -> None:
    assert page.evaluate(FOUND) == [], where
    assert page.outside == [] and page.asked == [], where


@pytest.fixture
def hostile_file(tmp_path: Path) -> Path:
    """A trace in which every name is an attack: of spans, threads, processes and arguments."""
    events: list[dict[str, object]] = []
    for number, text in enumerate(MARKUP):
        at, thread = 150.0 * number, {"pid": 1, "tid": 10 + number}
        events += [
            {"ph": "M", "name": "thread_name", **thread, "args": {"name": text}},
            {"ph": "X", "cat": "cpu_op", "name": text, "ts": at, "dur": 40.0, **thread,
             "args": {text: text}},
            {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "ts": at + 5,
             "dur": 5.0, **thread, "args": {"correlation": number}},
            {"ph": "X", "cat": "kernel", "name": text, "ts": at + 20, "dur": 100.0, "pid": 0,
             "tid": 7, "args": {"correlation": number, "device": 0, "stream": 7, text: text}},
        ]  # fmt: skip
    events += [
        {"ph": "M", "name": "process_name", "pid": pid, "args": {"name": MARKUP[3]}}
        for pid in (0, 1)
    ]
    path = tmp_path / "<b>payload<b> $x^2$ [payload](http:evil.invalid).json"
    path.write_text(json.dumps({"traceEvents": events, MARKUP[0]: MARKUP[0]}))
    return path


def test_a_hostile_trace_is_text_on_every_tab_of_inspect(victim, hostile_file: Path) -> None:
    victim.goto("/inspect?sample=none&find=payload")
    victim.wait_for_selector("input[type=file]", state="attached")
    victim.set_input_files("input[type=file]", hostile_file)
    victim.get_by_text("GPU 0 idle").first.wait_for()
    settle(victim)
    victim.wait_for_function("() => document.body.innerText.includes('<b>payload</b>')")
    assert_harmless(victim, "Inspect")
    victim.locator("canvas.canvas").focus()
    for _ in MARKUP:  # the hint and the spoken line of one bar after the other
        victim.keyboard.press("ArrowRight")
    assert_harmless(victim, "a bar's hint")
    tabs = victim.get_by_role("tab")
    for place in range(tabs.count()):
        tabs.nth(place).click()
        settle(victim)
        assert_harmless(victim, f"Inspect, tab {place}")


def test_a_hostile_trace_is_text_in_compare_and_its_hover(victim, hostile_file: Path) -> None:
    victim.goto("/compare?a=none&b=none")
    victim.wait_for_selector("input[type=file]", state="attached")
    for place in (0, 1):
        victim.locator("input[type=file]").nth(place).set_input_files(hostile_file)
        settle(victim)
    victim.wait_for_selector(".nsewdrag", state="attached")
    settle(victim)
    assert_harmless(victim, "Compare")
    shown = victim.locator(PLOTS).first  # the timeline; below it stands a chart of idle time
    shown.scroll_into_view_if_needed()
    victim.mouse.move(*shown.evaluate(A_BAR))
    victim.wait_for_function("() => document.querySelector('.hoverlayer')?.textContent.length > 9")
    assert "payload" in shown.locator(".hoverlayer").text_content()
    assert_harmless(victim, "Compare's hover")


KEYS = (
    "mode", "cost", "workload", "batch", "steps", "seed", "jitter", "pins", "tab", "t0", "t1",
    "at", "fork", "fork_set", "look", "sample", "view", "find", "a", "b", "predicted", "lesson",
    "part", "lang", "lock", "level", "moves", "with", "cpu", "gpu", "unknown",
)  # fmt: skip


def test_a_hostile_url_is_text_on_every_page(victim) -> None:
    text = " ".join(MARKUP[place] for place in (0, 3, 6, 7, 8))
    query = urlencode(dict.fromkeys([*KEYS, *(info.name for info in TABLE), MARKUP[0]], text))
    for path in ("timeline", "stepper", "inspect", "compare", "lessons", "host"):
        victim.goto(f"/{path}?{query}")
        victim.wait_for_selector("h1")
        settle(victim)
        assert_harmless(victim, path)
