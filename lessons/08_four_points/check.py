"""Lesson 08: eight answers, and memory that nobody gets too early and everybody gives back."""

from types import ModuleType

import torch

from engine.device.api import Device, Stream
from engine.device.buffer import Buffer
from engine.oplog import OpKind
from lessons.checks import Check, Verdict
from lessons.judging import wanted
from lessons.lesson import Lesson
from lessons.pipeline import ROWS, Program, Served, Slot, Streams, serve, try_timings
from lessons.questions import check_answers

MOST_IDLE = 0.01
BLOCKS = 3
"""Blocks that the caching allocator has before the first step: a cold one would wait."""


def check(work: ModuleType, lesson: Lesson) -> Verdict:
    """Serve with the student's two functions, and look at the log; then the answers."""
    function, collect = wanted(work, "enqueue_step"), wanted(work, "collect")

    def enqueue(device: Device, streams: Streams, slot: Slot) -> None:
        function(device, streams, slot, lambda stream: _allocate(device, stream))

    program = Program(enqueue, collect, warm_up=_warm_up)
    plain = serve(program)
    racing, wrong = try_timings(program, plain)
    safe = racing is None and wrong is None
    leaked, most = _leaked(plain)
    checks = [
        _check("no_hazard", _race(racing), points=2),
        _check("right_tokens", _tokens(racing, wrong)),
        Check("given_back", safe and not leaked, _given_back(safe, leaked),
              values={"count": leaked, "most": most}),
        _check("host_goes_on", _host(plain) if safe else "order_first"),
        _check("no_gap", _gap(plain) if safe else "order_first"),
    ]  # fmt: skip
    answers = check_answers(work, lesson).checks
    return Verdict([*checks, *answers], (racing or wrong or plain).trace("lesson 08"))


def _check(name: str, message: str, points: int = 1) -> Check:
    return Check(name, message == "ok", message, points)


def _allocate(device: Device, stream: Stream) -> Buffer:
    """Memory for the tokens of a step."""
    nbytes = ROWS * torch.int64.itemsize
    return device.allocate(nbytes, stream, "tokens").as_type(torch.int64)


def _warm_up(device: Device, streams: Streams) -> None:
    made = [_allocate(device, streams.compute) for _ in range(BLOCKS)]
    for buffer in made:
        device.free(buffer)


def _race(served: Served | None) -> str:
    if served is None:
        return "ok"
    early = served.hazards[0].resource == "temporaries"
    return "freed_too_early" if early else "other_hazard"


def _tokens(racing: Served | None, wrong: Served | None) -> str:
    """Tokens that a race has spared are no merit."""
    if wrong:
        return "wrong_tokens"
    return "order_first" if racing else "ok"


def _leaked(served: Served) -> tuple[int, int]:
    """How many allocations were never freed, of how many, without those of the warm-up."""
    kinds = [op.kind for op in served.device.log]
    allocated, freed = kinds.count(OpKind.ALLOC), kinds.count(OpKind.FREE)
    return allocated - freed, allocated - BLOCKS


def _given_back(safe: bool, leaked: int) -> str:
    if not safe:
        return "order_first"
    return "leak" if leaked else "ok"


def _host(served: Served) -> str:
    if served.waits_for_everything:
        return "whole_device"
    return "host_blocked" if served.blocking else "ok"


def _gap(served: Served) -> str:
    return "gap" if served.idle_share > MOST_IDLE else "ok"
