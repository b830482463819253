"""Two learners on one server, by Streamlit's own protocol: neither sees what the other has."""

import asyncio
import threading
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
import requests

from benchmarks.browser_tab import Tab
from tests.lab.samples import profiler_trace
from traces import trace_bytes

pytestmark = pytest.mark.browser  # for the server, which these tests share

SECRET = "only-ada-knows-this"
PAGES = ("inspect", "compare", "record", "lessons")


def in_a_loop(test: Callable[[], Awaitable[Any]]) -> Any:
    """Run it in a thread: playwright keeps a loop of its own in this one."""
    found: list[Any] = []
    failed: list[BaseException] = []

    def run() -> None:
        try:
            found.append(asyncio.run(test()))
        except BaseException as error:
            failed.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join(120)
    if failed:
        raise failed[0]
    assert found, "the tabs came to no end"
    return found[0]


async def ada_works(server: str) -> tuple[Tab, str]:
    """A tab that has uploaded a trace and answered a question; and where its file went."""
    ada = Tab(server)
    await ada.open("/inspect")
    sent: list[str] = []
    put = ada._put
    ada._put = lambda url, *rest: (sent.append(url), put(url, *rest))[1]
    await ada.upload(f"{SECRET}.json", trace_bytes(profiler_trace(SECRET, spans=3)))
    assert SECRET in ada.page.text()
    await ada.visit("lessons", "lesson=03&lang=en")
    await ada.enter("predict-03", 43.2125)
    return ada, sent[0]


def test_what_one_learner_uploads_and_types_no_other_sees(server: str) -> None:
    async def test() -> tuple[str, str, list[str]]:
        ada, url = await ada_works(server)
        ben = Tab(server)
        await ben.open("/inspect")
        seen = ben.page.text()
        for page in PAGES:
            await ben.visit(page, "lesson=03&lang=en" if page == "lessons" else "")
            seen += ben.page.text()
        errors = ada.page.errors + ben.page.errors
        await ada.close()
        await ben.close()
        return seen, url, errors

    seen, url, errors = in_a_loop(test)
    assert errors == []
    assert SECRET not in seen and "43.2125" not in seen
    fetched = requests.get(server + url, timeout=10).content
    assert b"Streamlit" in fetched and SECRET.encode() not in fetched  # the front page, no file


def test_an_upload_needs_the_token_of_its_own_page(server: str) -> None:
    async def test() -> str:
        ada, url = await ada_works(server)
        foreign = await asyncio.to_thread(
            requests.put, server + url, files={"x": ("x", b"not ada's")}, timeout=10
        )
        assert foreign.status_code == 403
        await ada.visit("inspect")
        await ada.close()
        return url

    url = in_a_loop(test)
    late = requests.put(server + url, files={"x": ("x", b"late")}, timeout=10)
    assert not late.ok, "a closed session still takes files"


def test_two_who_ask_for_the_same_run_at_once_get_the_same_page(server: str) -> None:
    link = "/timeline?mode=no-wait-compute&steps=11&seed=4242"

    async def test() -> list[tuple[list[str], str]]:
        tabs = [Tab(server) for _ in range(3)]
        await asyncio.gather(*(tab.open(link) for tab in tabs))
        found = [(tab.page.errors, tab.page.first("plotly_chart").element.spec) for tab in tabs]
        await asyncio.gather(*(tab.close() for tab in tabs))
        return found

    found = in_a_loop(test)
    assert all(errors == [] for errors, _ in found)
    assert len({figure for _, figure in found}) == 1
