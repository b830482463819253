"""The text of a Chrome Trace Event file, cut into typed events a few MiB at a time.

The array of events is decoded in pieces that end behind an event, so that a million
events never exist as Python objects at once. A piece that does not decode (a cut that
fell into an event, or damage) goes to the slow path, which takes one event at a time,
repairs it or skips it, and counts.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from typing import Any

import msgspec

from traces.readers import event_repair
from traces.readers.event_repair import Event
from traces.readers.progress import Steps
from traces.readers.source import UTF8_BOM, Content, release

PIECE_BYTES = 1 << 20
EVENTS_KEY = re.compile(rb'"traceEvents"\s*:\s*\[')
BETWEEN_EVENTS = re.compile(rb"\}\s*,\s*\{")
ARRAY_END = re.compile(rb"\}\s*(?:,\s*)?\]")
END_TRIES = 4
PLACES = 10
NEXT_ARRAY = re.compile(rb"\s*\[")
SEPARATORS = b" \t\r\n,"

_decode_list = msgspec.json.Decoder(list[Event]).decode


class ChromeText:
    """The events of one file and the keys around them.

    `found` tells whether there is an array of events at all. After iterating, `tail` holds the
    keys behind the events, `kept`, `damaged` and `repaired` count events, `places` says at which
    bytes the first of the latter two begin, `cut_off` that the file ends before the array does,
    and `documents` how many stood one after the other.
    """

    def __init__(self, content: Content) -> None:
        self._content = content
        self.max_bytes = content.max_bytes
        text = self._text = content.data
        self._is_object = content.head.lstrip()[:1] != b"["
        match = EVENTS_KEY.search(text) if self._is_object else re.search(rb"\[", text)
        self.found = match is not None
        self._at = match.end() if match else len(text)
        self.header = (
            _keys(text[: match.start()].removeprefix(UTF8_BOM).rstrip(SEPARATORS) + b"}")
            if match and self._is_object
            else {}
        )
        self.tail: dict[str, Any] = {}
        self.kept = self.damaged = self.repaired = 0
        self.places: list[int] = []
        self.documents = 1
        self.cut_off = False
        self._closed = False

    def again(self) -> "ChromeText":
        """The same from the beginning; what was counted stays here, and nobody is told of it."""
        return ChromeText(replace(self._content, steps=Steps(None)))

    def __iter__(self) -> Iterator[list[Event]]:
        while self._is_open() and self._at < len(self._text):
            events = self._next_piece()
            self.kept += len(events)
            yield events
            release(self._text, self._at)
            self._content.read_up_to(self._at)
        if self._closed and self._is_object:
            self.tail = _keys(b"{" + self._text[self._at :].lstrip(SEPARATORS))
        self.cut_off |= self._is_object and not self._closed

    def _is_open(self) -> bool:
        """Whether there are more events: of this document, or of another one behind it."""
        if self._closed:
            find = EVENTS_KEY.search if self._is_object else NEXT_ARRAY.match
            if match := find(self._text, self._at):
                self._at, self._closed = match.end(), False
                self.documents += 1
        return not self._closed

    def _next_piece(self) -> list[Event]:
        boundary = BETWEEN_EVENTS.search(self._text, self._at + PIECE_BYTES)
        cut = boundary.start() + 1 if boundary else len(self._text)
        events = self._decode(cut)
        if events is not None:
            self._at = cut
            return events
        for end in islice(ARRAY_END.finditer(self._text, self._at, cut), END_TRIES):
            events = self._decode(end.start() + 1)
            if events is not None:
                self._at, self._closed = end.end(), True
                return events
        return self._salvage(cut)

    def line_of(self, at: int) -> int:
        """The line that byte `at` is on, from 1."""
        steps = range(0, at, PIECE_BYTES)
        return 1 + sum(self._text[a : min(a + PIECE_BYTES, at)].count(b"\n") for a in steps)

    def _decode(self, cut: int) -> list[Event] | None:
        """The events up to `cut`, or None where that is no list of events."""
        piece = self._text[self._at : cut].strip(SEPARATORS)
        try:
            return _decode_list(b"[" + piece + b"]")
        except (msgspec.DecodeError, RecursionError):
            return None

    def _salvage(self, cut: int) -> list[Event]:
        """Events one at a time, until behind `cut`."""
        salvage = event_repair.Salvage(self._text, self._at, self._is_object)
        events = list(salvage.events(cut))
        self._at, self._closed = salvage.at, salvage.closed
        self.damaged += salvage.damaged
        self.repaired += salvage.repaired
        self.places = (self.places + salvage.places)[:PLACES]
        self.cut_off |= salvage.cut_off
        return events


def _keys(text: bytes) -> dict[str, Any]:
    """The keys of a JSON object, or nothing where it is damaged."""
    try:
        return msgspec.json.decode(text, type=dict[str, Any])
    except (msgspec.DecodeError, RecursionError):
        return {}
