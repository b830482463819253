"""Where two recorded runs of the same work part: in their spans, in memory, and in their tokens.

Spans are compared by time, for that is what they are. What is written and which tokens are
committed is compared in its order, whenever it happens: a copy that is merely late brings the same.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from engine.oplog import NONE
from engine.recording.journal import Image, rows_of
from engine.recording.recording import Recording
from engine.results.token_diff import diff_tokens
from traces import Trace


@dataclass(frozen=True, slots=True)
class SpanDifference:
    """The first instant (ns) at which something begins or ends in one run alone."""

    at_ns: int
    track: str
    name: str
    step: int


@dataclass(frozen=True, slots=True)
class WriteDifference:
    """The first write that leaves something else in a row: `before` in the first run, `after` in
    the second (None where only one of them writes it)."""

    at_ns: int
    buffer: int
    row: int
    name: str
    step: int
    before: Any
    after: Any

    @property
    def in_second(self) -> bool:
        """True when the second run writes it."""
        return self.after is not None


@dataclass(frozen=True, slots=True)
class TokenDifference:
    """The first token that is committed in one run alone: output token `position` of a request
    (NONE: no such token)."""

    at_ns: int
    request: str
    position: int
    before: int
    after: int


@dataclass(frozen=True, slots=True)
class Divergence:
    """The first difference of each kind, None where there is none."""

    spans: SpanDifference | None
    writes: WriteDifference | None
    tokens: TokenDifference | None

    @property
    def at_ns(self) -> int:
        """The first of all (ns), NONE where the runs are the same."""
        found = (self.spans, self.writes, self.tokens)
        return min((one.at_ns for one in found if one is not None), default=NONE)


def divergence(first: Recording, second: Recording) -> Divergence:
    """Where `second` goes another way than `first`."""
    return Divergence(
        _spans(first.run.trace, second.run.trace), _writes(first, second), _tokens(first, second)
    )


def _spans(first: Trace, second: Trace) -> SpanDifference | None:
    only = set(_ends(first)) ^ set(_ends(second))
    if not only:
        return None
    at_ns, track, name, step, *_ = min(only)
    return SpanDifference(at_ns, track, name, step)


def _ends(trace: Trace) -> Iterator[tuple[int, str, str, int, int, str]]:
    """When each span begins and ends."""
    spans = trace.spans
    columns = (spans[name].tolist() for name in ("ts_ns", "dur_ns", "track", "name", "step"))
    for start_ns, dur_ns, track, name, step in zip(*columns, strict=True):
        yield start_ns, track, name, step, start_ns, "begins"
        yield start_ns + dur_ns, track, name, step, start_ns, "ends"


Write = tuple[int, str, int, int]
"""(buffer, operation's name, its step, how often it has written it before)"""


def _writes(first: Recording, second: Recording) -> WriteDifference | None:
    before, after = _images(first), _images(second)
    found = [
        _difference(write, before.get(write), after.get(write))
        for write in dict.fromkeys([*before, *after])
        if not _same(before.get(write), after.get(write))
    ]
    return min(found, key=lambda one: (one.at_ns, one.buffer), default=None)


def _images(recording: Recording) -> dict[Write, Image]:
    ops = recording.run.device.log.ops
    found: dict[Write, Image] = {}
    for buffer, images in enumerate(recording.journal.images):
        count: dict[tuple[str, int], int] = {}
        for image in images:
            key = ("", NONE) if image.op == NONE else (ops[image.op].name, ops[image.op].step)
            count[key] = count.get(key, 0) + 1
            found[buffer, *key, count[key]] = image
    return found


def _same(before: Image | None, after: Image | None) -> bool:
    if before is None or after is None:
        return before is after
    return before.mask == after.mask and _equal(before.values, after.values)


def _equal(before: Any, after: Any) -> bool:  # noqa: ANN401 - a row, rows, or none
    return bool(np.array_equal(before, after))


def _difference(write: Write, before: Image | None, after: Image | None) -> WriteDifference:
    buffer, name, step, _ = write
    old, new = _rows(before), _rows(after)
    rows = sorted({*old, *new})
    row = next(row for row in rows if not _equal(old.get(row), new.get(row)))
    at_ns = min(image.at_ns for image in (before, after) if image is not None)
    return WriteDifference(at_ns, buffer, row, name, step, old.get(row), new.get(row))


def _rows(image: Image | None) -> dict[int, Any]:
    return {} if image is None else dict(zip(rows_of(image.mask), image.values, strict=True))


def _tokens(first: Recording, second: Recording) -> TokenDifference | None:
    run = second.run
    cut = run.config.steps is not None
    wrong = diff_tokens(run.requests, first.run.requests, run.steps, cut).wrong
    found = []
    for request, positions in wrong.items():
        times = (_committed_ns(one, request, positions[0]) for one in (first, second))
        at_ns = min((time for time in times if time != NONE), default=NONE)
        found.append(
            TokenDifference(
                at_ns, request, positions[0], _token(first, request, positions[0]),
                _token(second, request, positions[0]),
            )
        )  # fmt: skip
    return min(found, key=lambda one: (one.at_ns, one.request), default=None)


def _committed_ns(recording: Recording, request: str, position: int) -> int:
    states = recording.journal.history.requests.get(request, [])
    return next((at_ns for at_ns, state in states if state.committed > position), NONE)


def _token(recording: Recording, request: str, position: int) -> int:
    tokens = next((r.tokens for r in recording.run.requests if r.id == request), [])
    return tokens[position] if position < len(tokens) else NONE
