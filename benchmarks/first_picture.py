"""How soon a long trace is seen on the Inspect page, and how soon a zoom is redrawn.

    python -m benchmarks.first_picture FILE [--zooms N]

Serves the lab, opens FILE in a real Chromium as a reader does, and zooms in by dragging boxes, five
times nearer each time. Prints, from the browser's own clock and wires: the time from the end of
the loading (its progress bar goes) to the first picture; the largest message with a picture in it;
from the release of the mouse to the picture redrawn with the server's answer. Returns 1 where a
promise is not kept: 1 s, 2 MB, 500 ms (median).

A trace of 1,000,000 events (290 MB, 751,107 spans) on two cores with nothing else to do: first
picture 0.40 s after the loading, largest message 0.65 MB, zooms 185 ms in the median, 214 ms at
most. On a slower or busy machine: up to 1.0 s, and 500 ms.
"""

import argparse
import os
import shutil
import socket
import statistics
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, sync_playwright

ROOT = Path(__file__).resolve().parent.parent
FIRST_MS, PICTURE_BYTES, ZOOM_MS = 1000, 2_000_000, 500
LOAD_MS = 600_000
FLAGS = ("--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-sync")

FIND = """
window.FAULTS = "[data-testid=stException], [data-testid=stAlertContentError]";
window.canvas = () => [...document.querySelectorAll("div")]
  .map((one) => one.shadowRoot?.querySelector("canvas.canvas")).find(Boolean);
"""
WATCH_LOADING = """() => {
  window.seen = { loading: performance.now() }; // of a short file no progress may be seen
  const look = () => {
    const now = performance.now();
    seen.fault = document.querySelector(FAULTS)?.innerText;
    if (document.querySelector("[data-testid=stProgress]")) seen.loading = now;
    else if (canvas()?.dataset.answered !== undefined) seen.drawn = now;
    if (!seen.drawn) requestAnimationFrame(look);
  };
  look();
}"""
WATCH_ZOOM = """() => {
  window.redrawn = new Promise((resolve, reject) => {
    setTimeout(reject, 60000, new Error("a zoom was not redrawn within a minute"));
    window.addEventListener("pointerup", () => {
      const start = performance.now(), before = canvas().dataset.answered;
      const look = () => {
        if (canvas()?.dataset.answered !== before) resolve(performance.now() - start);
        else requestAnimationFrame(look);
      };
      look();
    }, { once: true, capture: true });
  });
}"""


@contextmanager
def served() -> Iterator[str]:
    """The address of the lab, served for this measurement alone."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [
        sys.executable, "-m", "streamlit", "run", "app.py", "--server.headless", "true",
        "--server.port", str(port),
    ]  # fmt: skip
    process = subprocess.Popen(
        command, cwd=ROOT, env={**os.environ, "OMP_NUM_THREADS": "1"},
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    address = f"http://localhost:{port}"
    try:
        for _ in range(300):
            try:
                urllib.request.urlopen(f"{address}/_stcore/health", timeout=2).close()
                break
            except OSError:
                time.sleep(0.2)
        yield address
    finally:
        process.terminate()
        process.wait(10)


def opened(page: Page, address: str, path: str) -> float:
    """Open a trace; ms from the end of its loading to the first picture."""
    page.goto(f"{address}/inspect?sample=none")
    page.locator("input[type=file]").wait_for(state="attached", timeout=120_000)
    page.evaluate(WATCH_LOADING)
    page.set_input_files("input[type=file]", path)
    page.wait_for_function("() => seen.drawn || seen.fault", timeout=LOAD_MS)
    if fault := page.evaluate("() => seen.fault"):
        raise SystemExit(f"The page shows an error in place of the picture: {fault}")
    page.locator("h4").wait_for(timeout=LOAD_MS)  # the verdict: every gap is explained
    page.wait_for_timeout(3000)
    first_ms: float = page.evaluate("() => seen.drawn - seen.loading")
    return first_ms


def zoomed(page: Page) -> float:
    """Drag a box over a fifth of the picture; ms until it is redrawn."""
    page.locator("canvas.canvas").scroll_into_view_if_needed()
    box: Any = page.locator("canvas.canvas").bounding_box()
    y = box["y"] + 60
    page.evaluate(WATCH_ZOOM)
    page.mouse.move(box["x"] + 0.4 * box["width"], y)
    page.mouse.down()
    page.mouse.move(box["x"] + 0.6 * box["width"], y, steps=3)
    page.mouse.up()
    elapsed_ms: float = page.evaluate("() => window.redrawn")
    page.wait_for_timeout(1000)
    return elapsed_ms


def zooms(page: Page, count: int) -> list[float]:
    """So many zooms, from the whole run four steps deep each time."""
    found = []
    for number in range(count):
        if number % 4 == 0:
            page.get_by_role("button", name="Whole run").click()
            page.wait_for_timeout(2000)
        found.append(zoomed(page))
    return found


def main() -> int:
    """Measure and print; returns 1 where a promise is not kept."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.first_picture")
    parser.add_argument("file", metavar="FILE")
    parser.add_argument("--zooms", type=int, default=12)
    options = parser.parse_args()
    messages: list[int] = []
    with served() as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=list(FLAGS)
        )
        page = browser.new_page(viewport={"width": 1600, "height": 1000})
        page.add_init_script(FIND)
        page.on(
            "websocket",
            lambda wire: wire.on("framereceived", lambda frame: messages.append(len(frame))),
        )
        first_ms = opened(page, address, options.file)
        times = sorted(zooms(page, options.zooms))
        browser.close()
    median_ms = statistics.median(times)
    print(f"first picture {first_ms:.0f} ms after the loading")
    print(f"largest message to the browser {max(messages) / 1e6:.2f} MB")
    print(f"{len(times)} zooms: median {median_ms:.0f} ms, slowest {times[-1]:.0f} ms")
    kept = first_ms <= FIRST_MS and max(messages) <= PICTURE_BYTES and median_ms <= ZOOM_MS
    return int(not kept)


if __name__ == "__main__":
    sys.exit(main())
