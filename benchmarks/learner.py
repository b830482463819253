"""A learner of the class that `classroom.py` holds: walks the pages and does what each is for."""

import asyncio
import random
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

from websockets.exceptions import WebSocketException

from benchmarks.browser_tab import Tab
from benchmarks.classroom_report import OPEN, Act
from benchmarks.page_elements import TabError
from engine.mechanisms.table import BY_NAME

SAMPLE = Path(__file__).resolve().parent.parent / "traces/samples/engine-async.json.gz"
LESSON = "07"
ACTS_ON_A_PAGE = 4
STEPS = ("step-forward", "step-back", "step-batch_forward", "step-batch_back")
FAULTS = (TabError, OSError, WebSocketException)


class Learner:
    """One of the class, in a tab of its own; `acts` is what it has done by now."""

    def __init__(self, number: int, address: str) -> None:
        self.number = number
        self.chance = random.Random(number)
        self.tab = Tab(address, with_files=True)
        self.acts: list[Act] = []
        self._switched = ""
        self._pages: list[str] = []
        self._left = 0
        self._page = ""

    async def come_in(self, link: str) -> None:
        """Open the class's link."""
        await self._timed(OPEN, lambda: self.tab.open(link))

    async def work(self, until: float, think_s: tuple[float, float]) -> None:
        """Think and act by turns until `until`, on `time.monotonic`'s clock."""
        while True:
            pause = self.chance.uniform(*think_s)
            if time.monotonic() + pause > until:
                return
            await asyncio.sleep(pause)
            await self._act()

    async def _act(self) -> None:
        """Go on to another page, or do what this page is for."""
        if self._left == 0:
            self._left = ACTS_ON_A_PAGE
            if not self._pages:
                self._pages = ["timeline", "stepper", "lessons", "inspect"]
                self.chance.shuffle(self._pages)
            self._page = self._pages.pop()
            query = f"lesson={LESSON}&lang=en" if self._page == "lessons" else ""
            await self._timed("change the page", lambda: self.tab.visit(self._page, query))
            return
        self._left -= 1
        await {
            "timeline": self._switch,
            "stepper": self._step,
            "lessons": self._predict,
            "inspect": self._upload,
        }[self._page]()

    async def _switch(self) -> None:
        """A mechanism to one of its wrong values, or the last one back."""
        if self._switched:
            name, self._switched = self._switched, ""
            value = BY_NAME[name].correct
        else:
            name = self.chance.choice(sorted(BY_NAME))
            wrong = [value for value in BY_NAME[name].values if value != BY_NAME[name].correct]
            value, self._switched = self.chance.choice(wrong), name
        await self._timed("switch a mechanism", lambda: self.tab.choose(name, value))

    async def _step(self) -> None:
        key = self.chance.choice(STEPS)
        await self._timed("step", lambda: self.tab.press(key))

    async def _predict(self) -> None:
        """Change the answer twice, lock it in and see the run, begin anew."""
        key = f"predict-{LESSON}"
        if self._left == 1:
            await self._timed("see a lesson's run", lambda: self.tab.press(f"{key}-go"))
        elif self._left == 0:
            await self._timed("change a prediction", lambda: self.tab.press("lesson-reset"))
        else:
            await self._timed("change a prediction", lambda: self._answer(key))

    async def _answer(self, key: str) -> None:
        await self.tab.choose(key, self.chance.choice(self.tab.page.find(key).options))

    async def _upload(self) -> None:
        data = SAMPLE.read_bytes()
        name = f"of-learner-{self.number}-{len(self.acts)}.json.gz"
        await self._timed("upload a trace", lambda: self.tab.upload(name, data))

    async def _timed(self, kind: str, act: Callable[[], Awaitable[None]]) -> None:
        """Do it, and note how long it took and what went wrong."""
        self.tab.page.errors.clear()
        began = time.monotonic()
        fault = ""
        try:
            await act()
        except FAULTS as error:
            fault = f"{type(error).__name__}: {error}"
        seconds = time.monotonic() - began
        told = [fault] if fault else self.tab.page.errors[:1]
        self.acts.append(Act(kind, began, seconds, told[0] if told else ""))
