"""Lesson 20: drafts are counted on the device, and the host commits what counts, no more.

Both functions are tried on rows of every kind; then the engine runs with the first one in its
verifying kernel, and its texts must be those of a run without drafts.
"""

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import torch

from engine import Run, execute
from engine.drafting import accepted_drafts
from engine.kv.pool import blocks_for
from engine.model.tokenizer import EOS
from engine.parts import Parts
from engine.requests.grammar import START, State, advance
from lessons.checks import Check, Verdict
from lessons.judging import wanted
from lessons.lesson import Lesson
from lessons.looks import host_needed
from lessons.scenes import config_of

Accept = Callable[[torch.Tensor, torch.Tensor], torch.Tensor]

DRAFTS = [[5, 6, 7], [5, 6, 7], [5, 6, 7], [5, 6, 7], [5, -1, -1], [-1, -1, -1], [5, 9, 7]]
SAMPLED = [[9, 1, 1, 1], [5, 9, 1, 1], [5, 6, 7, 8], [5, 6, 9, 1], [5, 3, 1, 1], [4, 1, 1, 1],
           [5, 6, 7, 8]]  # fmt: skip
"""None, some and all accepted; fewer drafts than places; a match behind a mismatch."""

TEXT = b'{"seen": [true, 12], "at": "sea"}'
BLOCK_SIZE = 4
ROWS = 100


@dataclass
class Request:
    """What the student works with, and what a row of it should have come to."""

    prompt_length: int
    tokens: list[int]
    max_new_tokens: int
    in_flight: int
    blocks: list[int]
    state: State | None
    block_size: int = BLOCK_SIZE

    def follow(self, token: int) -> None:
        """Let the grammar follow one token."""
        self.state = _follow(self.state, [token])


@dataclass
class Expected:
    """What is right for a row: the tokens to commit, the blocks to keep, the grammar's state."""

    tokens: list[int]
    blocks: int
    state: State | None


def check(work: ModuleType, lesson: Lesson) -> Verdict:
    """Count, without a look at values; settle rows of all kinds; then the engine."""
    accept, settle = wanted(work, "accepted"), wanted(work, "settle")
    host = host_needed(accept, [torch.tensor(DRAFTS), torch.tensor(SAMPLED)])
    counted = _counts(accept)
    message = "needs_host" if host else "ok" if counted.passed else "count_first"
    on_device = Check("on_device", message == "ok", message, values={"name": host})
    first = [on_device, counted] if host else [counted, on_device]
    settled = _settles(settle)
    if not all(check.passed for check in (*first, *settled)):
        return Verdict([*first, *settled, Check("engine", False, "others_first")])
    run = _engine(lesson, accept)
    wrong = run.token_diff.count if run.token_diff is not None else 0
    engine = Check("engine", not wrong, "engine_wrong" if wrong else "ok", values={"count": wrong})
    return Verdict([*first, *settled, engine], run.trace)


def _counts(accept: Accept) -> Check:
    drafts, sampled = torch.tensor(DRAFTS), torch.tensor(SAMPLED)
    given = accept(drafts, sampled)
    right = accepted_drafts(drafts, sampled)
    if not isinstance(given, torch.Tensor) or given.shape != right.shape:
        shape = tuple(given.shape) if isinstance(given, torch.Tensor) else type(given).__name__
        return _failed("count", "wrong_shape", given=shape, expected=tuple(right.shape))
    for row, (got, expected) in enumerate(zip(given.tolist(), right.tolist(), strict=True)):
        if got != expected:
            agree = sum(d == s for d, s in zip(DRAFTS[row], SAMPLED[row], strict=False))
            message = "gap_in_prefix" if got == agree else "miscounted"
            values = {"drafts": DRAFTS[row], "sampled": SAMPLED[row], "given": got}
            return _failed("count", message, **values, expected=expected)
    return Check("count", True)


def _settles(settle: Callable[[Request, list[int], int], None]) -> list[Check]:
    """The student's settling of many rows: its tokens, its blocks, its grammar's state."""
    found: dict[str, Check] = {}
    for request, sampled, accepted, expected in _rows():
        before = len(request.tokens)
        settle(request, list(sampled), accepted)
        told: dict[str, Any] = {"sampled": sampled, "accepted": accepted}
        message = _tokens_fault(request, before, sampled, accepted, expected)
        if message:
            told |= {"given": request.tokens[before:], "expected": expected.tokens}
            found.setdefault("commit", _failed("commit", message, **told))
            continue  # blocks and state follow the tokens
        kept = len(request.blocks)
        if kept != expected.blocks:
            told |= {"given": kept, "expected": expected.blocks, "in_flight": request.in_flight}
            message = "blocks_kept" if kept > expected.blocks else "freed_too_much"
            found.setdefault("blocks", _failed("blocks", message, **told))
        if request.state != expected.state:
            found.setdefault("grammar", _failed("grammar", "state_astray", **told))
    names = ("commit", "blocks", "grammar")
    passed = {name: Check(name, True) for name in names}
    if "commit" in found:
        passed |= {name: Check(name, False, "commit_first") for name in names[1:]}
    return [found.get(name, passed[name]) for name in names]


def _tokens_fault(
    request: Request, before: int, sampled: list[int], accepted: int, expected: Expected
) -> str:
    """Which message the committed tokens deserve; empty where they are right."""
    given = request.tokens[before:]
    if given == expected.tokens:
        return ""
    if len(given) > len(expected.tokens) and given == sampled[: len(given)]:
        return "rejected_committed" if len(given) > accepted + 1 else "past_the_end"
    return "own_token_missing" if given == sampled[:accepted] else "other_commit"


def _rows() -> Iterator[tuple[Request, list[int], int, Expected]]:
    """Rows of requests in the middle of a JSON text, with 0 to 3 drafts, of which any number is
    accepted, at any distance from their longest length, with or without a row behind them."""
    chance = random.Random("rows of lesson 20")
    for _ in range(ROWS):
        done, k = chance.randint(1, len(TEXT) - 6), chance.randint(0, 3)
        accepted = chance.randint(0, k)
        sampled = [*TEXT[done : done + accepted + 1], *(chance.randint(97, 122) for _ in range(k))]
        sampled = sampled[: k + 1]
        if chance.random() < 0.15:
            sampled[chance.randint(0, accepted)] = EOS
        most = done + chance.randint(1, 8)
        yield _row(done, sampled, accepted, most, chance)


def _row(
    done: int, sampled: list[int], accepted: int, most: int, chance: random.Random
) -> tuple[Request, list[int], int, Expected]:
    prompt, behind = chance.randint(1, 9), chance.choice((0, 0, 4))
    committed = sampled[: min(accepted + 1, most - done)]
    if EOS in committed:
        committed = committed[: committed.index(EOS) + 1]
    in_flight = min(behind, most - done - len(committed)) if EOS not in committed else 0
    state = _follow(START, TEXT[:done])
    after = _follow(state, committed)
    needed = blocks_for(prompt + done + len(committed) + in_flight - 1, BLOCK_SIZE)
    reserved = max(needed, blocks_for(prompt + done + len(sampled) + behind, BLOCK_SIZE))
    request = Request(prompt, list(TEXT[:done]), most, in_flight, list(range(reserved)), state)
    return request, sampled, accepted, Expected(committed, needed, after)


def _follow(state: State | None, tokens: bytes | list[int]) -> State | None:
    for token in tokens:
        if token != EOS:
            state = advance(state, token) if state is not None else None
    return state


def _engine(lesson: Lesson, accept: Accept) -> Run:
    """The run of the text's own scene, with this function in the verifying kernel."""

    def exchange(parts: Parts) -> None:
        if parts.forward.drafting is not None:
            parts.forward.drafting.accept = accept

    return execute(config_of(lesson.scene_named("drafts")), adjust=exchange)


def _failed(name: str, message: str, **values: object) -> Check:
    return Check(name, False, message, values=values)
