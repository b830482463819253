"""A served app and a real Chromium for the tests of this folder, each started once."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from deploy.__main__ import answers, free_ports

ROOT = Path(__file__).resolve().parents[2]
STARTUP_S = 60
BROKEN = "Failed to process a Websocket message"
"""What Streamlit's front end says as it gives up."""
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


@contextmanager
def served(port: int, log: Path) -> Iterator[subprocess.Popen[bytes]]:
    """The app on a port of this machine, for as long as the block lasts."""
    command = [
        sys.executable, "-m", "streamlit", "run", "app.py", "--server.headless", "true",
        "--server.address", "127.0.0.1", "--server.port", str(port),
    ]  # fmt: skip
    with log.open("wb") as out:
        process = subprocess.Popen(
            command, cwd=ROOT, stdout=out, stderr=out, env={**os.environ, "OMP_NUM_THREADS": "1"}
        )
    try:
        if not answers(f"http://127.0.0.1:{port}", process, STARTUP_S):
            pytest.fail(f"the app did not start: {log.read_text('utf-8', 'replace')[-2000:]}")
        yield process
    finally:
        process.terminate()
        process.wait(60)  # a busy machine takes its time


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of the app, served on a free port for these tests alone."""
    (port,) = free_ports(1)
    with served(port, tmp_path_factory.mktemp("server") / "log.txt"):
        yield f"http://127.0.0.1:{port}"


@pytest.fixture(scope="session")
def chromium() -> Iterator[object]:
    """A browser; the tests are skipped where none is installed."""
    api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    path = (
        shutil.which("chromium")
        or shutil.which("chromium-browser")
        or shutil.which("google-chrome")
    )
    if path is None:
        pytest.skip("no Chromium on this machine")
    with api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=list(FLAGS))
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def context(chromium, server: str) -> Iterator[object]:
    """One context for all pages: from the fourth on the browser has the app's scripts compiled,
    which costs it three times as much as all the rest of a test."""
    context = chromium.new_context(viewport={"width": 1400, "height": 1000}, base_url=server)
    context.set_default_timeout(90_000)
    context.broken = []
    context.on("console", lambda said: BROKEN in said.text and context.broken.append(said.text))
    yield context
    context.close()


@pytest.fixture
def page(context, server: str) -> Iterator[object]:
    """A fresh page of a wide window, with nothing kept from others and nothing but the app online.

    The page before it is closed only now: a last page takes its renderer along. A page that could
    not take in what the server sent answers no more, so no test may leave one.
    """
    context.broken.clear()
    page = context.new_page()
    for other in context.pages[:-1]:
        other.close()
    forget = {"origin": server, "storageTypes": "cookies,local_storage,indexeddb"}
    context.new_cdp_session(page).send("Storage.clearDataForOrigin", forget)
    page.outside = []
    page.on("request", lambda request: _note_outside(page, request.url, server))
    yield page
    assert context.broken == []


def _note_outside(page, url: str, server: str) -> None:
    if not url.startswith((server, "data:", "blob:", server.replace("http", "ws"))):
        page.outside.append(url)
