"""One trace event at a time out of damaged JSON text: find it, repair it, or skip it.

Writers of traces leave out quotes, write NaN and control characters, put lone
backslashes into paths, and are killed in the middle. Everything whole is kept; what
cannot be repaired costs one event and is counted.
"""

import re
from collections.abc import Iterator

import msgspec

from traces.readers.source import Bytes

Scalar = str | int | float | bool | None


class Event(msgspec.Struct, gc=False):
    """One event as the file writes it; times, `id2` and `args` stay undecoded JSON."""

    ph: str = ""
    ts: msgspec.Raw = msgspec.Raw()
    dur: msgspec.Raw = msgspec.Raw()
    pid: Scalar = None
    tid: Scalar = None
    name: Scalar = None
    cat: Scalar = None
    id: Scalar = None
    bp: Scalar = None
    id2: msgspec.Raw = msgspec.Raw()
    args: msgspec.Raw = msgspec.Raw()


_decode_event = msgspec.json.Decoder(Event).decode

WINDOW_BYTES = 1 << 18
"""An event longer than this counts as damaged, so that a lost quote cannot cost more."""

VAIN_BYTES = 1 << 20
"""So much may be searched in vain for closing braces, and twice what was passed since; then
only `LEAST_BYTES` an event, so that many damaged events cost no more than their number. The same
holds for the end of the document behind what may close the array."""

LEAST_BYTES = 1 << 10

GAP = re.compile(rb"[\s,]*")
BRACES_OUTSIDE_STRINGS = re.compile(rb'"(?:[^"\\]++|\\.)*+"?|[{}]', re.DOTALL)
"""A string without an end reaches to the end: it is not looked through from each quote again."""

NEXT_EVENT = re.compile(
    rb'\}\s*(?:,\s*)?(?=\{\s*"(?:ph|name|cat|pid|tid|ts|dur|id|args|s|bp)"\s*:)'
    rb'|\n[ \t]*(?=\{\s*"ph")'
)
OTHER_DOCUMENT = re.compile(rb"\]\s*[\[{]")
DOCUMENT_END = re.compile(rb"\}\s*(?=\{)")
KEYS_FOLLOW = re.compile(rb'\]\s*,\s*"')

TO_REPAIR = re.compile(
    r'"(?:[^"\\]++|\\.)*+"?|-?\b(?:nan(?:\(\w*\))?|inf(?:inity)?)\b|,(?=\s*[}\]])',
    re.DOTALL | re.IGNORECASE,
)
CONTROL = re.compile(r"[\x00-\x1f]")
ESCAPE = re.compile(r'\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})?')
SURROGATE = re.compile(r"\\u[dD][89a-fA-F][0-9a-fA-F]{2}")
BACKSLASH_BEFORE_CLOSING_QUOTE = re.compile(rb'(?<!\\)\\(?="\s*[,}\]])')


class Salvage:
    """Takes events from `text` starting at byte `at`; see `ChromeText` for the counts."""

    def __init__(self, text: Bytes, at: int, is_object: bool) -> None:
        self._text = text
        self._is_object = is_object
        self.at = self._began = at
        self._in_vain = self._ends_in_vain = 0
        self.damaged = self.repaired = 0
        self.places: list[int] = []
        """Where damaged and repaired events begin."""
        self.closed = self.cut_off = False

    def events(self, until: int) -> Iterator[Event]:
        """The events that start before byte `until`, up to the end of the array."""
        while not self.closed:
            self.at = _end(GAP, self._text, self.at)
            if self.at >= until:
                return
            if self._text[self.at] == ord("]") and self._array_ends_here():
                self.closed = True
                self.at += 1
            elif (event := self._take()) is not None:
                yield event
            else:
                self._skip()

    def _take(self) -> Event | None:
        """The event that starts here, if it can be read as it is or repaired."""
        for end in self._possible_ends():
            raw = self._text[self.at : end] if end > 0 else b""
            for attempt in (lambda text: text, repaired, repaired_path):
                event = _decoded(attempt(raw))
                if event is not None:
                    if attempt(raw) != raw:
                        self.repaired += 1
                        self.places.append(self.at)
                    self.at = end
                    return event
        return None

    def _possible_ends(self) -> Iterator[int]:
        """Its own closing brace, and only if that fails the dearer search; -1: not found."""
        if self._text[self.at] == ord("{"):
            allowed = VAIN_BYTES + 2 * (self.at - self._began) - self._in_vain
            until = self.at + min(max(allowed, LEAST_BYTES), WINDOW_BYTES)
            end = closing_brace(self._text, self.at, until)
            yield end
            self._in_vain += (end if end > 0 else min(until, len(self._text))) - self.at
        following = NEXT_EVENT.search(self._text, self.at, self.at + WINDOW_BYTES)
        yield following.start() + 1 if following else -1

    def _skip(self) -> None:
        """Go on at the next thing that looks like an event."""
        following = NEXT_EVENT.search(self._text, self.at)
        self.damaged += 1
        self.places.append(self.at)
        self.at = following.end() if following else len(self._text)
        self.cut_off |= following is None

    def _array_ends_here(self) -> bool:
        """Whether the "]" here closes the array of events, not a list inside a lost event."""
        if OTHER_DOCUMENT.match(self._text, self.at) or not NEXT_EVENT.search(self._text, self.at):
            return True
        if not self._is_object or not KEYS_FOLLOW.match(self._text, self.at):
            return False
        if self._ends_in_vain > VAIN_BYTES + 2 * (self.at - self._began):
            return False
        another = DOCUMENT_END.search(self._text, self.at)
        end = another.start() + 1 if another else len(self._text)
        self._ends_in_vain += end - self.at
        return _is_json(b'{"":0' + self._text[self.at + 1 : end])


def repaired(raw: bytes) -> bytes:
    """The text of one event with everything mended that can be mended without guessing."""
    return TO_REPAIR.sub(_mend, raw.decode("utf-8", "replace")).encode()


def repaired_path(raw: bytes) -> bytes:
    """The same, taking a backslash before what must be a closing quote for a plain one."""
    return repaired(BACKSLASH_BEFORE_CLOSING_QUOTE.sub(rb"\\\\", raw))


def _mend(match: re.Match[str]) -> str:
    token = match.group()
    if token.startswith('"'):
        token = ESCAPE.sub(lambda m: m[0] if len(m[0]) > 1 else "\\\\", token)
        token = SURROGATE.sub(r"\\ufffd", token)
        return CONTROL.sub("\N{REPLACEMENT CHARACTER}", token)
    return "" if token == "," else "null"


def closing_brace(text: Bytes, at: int, until: int) -> int:
    """The byte behind the brace that closes the one at `at`; -1 if it is not before `until`."""
    depth = 0
    for match in BRACES_OUTSIDE_STRINGS.finditer(text, at, until):
        depth += {b"{": 1, b"}": -1}.get(match.group(), 0)
        if depth <= 0:
            return match.end() if depth == 0 and match.group() == b"}" else -1
    return -1


def _decoded(raw: bytes) -> Event | None:
    try:
        return _decode_event(raw)
    except (msgspec.DecodeError, RecursionError):
        return None


def _is_json(text: bytes) -> bool:
    try:
        msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        return False
    return True


def _end(pattern: re.Pattern[bytes], text: Bytes, at: int) -> int:
    match = pattern.match(text, at)
    return match.end() if match else at
