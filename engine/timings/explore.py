"""One configuration under many timings: how often its tokens come out wrong.

A hazard is a property of the log, the same under every timing; whether it does harm is not. So
the same work is run again and again with jittered durations. A run is given up at its first
wrong text, for only the first wrong step is asked for; and where a timing leaves the order of
conflicting reads and writes as it was in an earlier run, its tokens are known without computing
them (`engine.device.recalled`).

What this module does not do: look for the one change that shows a race (`engine.timings.smallest`).
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field, replace
from functools import lru_cache

from engine.config import RunConfig
from engine.device.recalled import Recall
from engine.execution import Run, baseline, execute
from engine.oplog import NONE
from engine.results.token_diff import diff_tokens
from engine.timings.processes import process_pool

STEPS = 24
"""So many steps of a run are tried, or so many from where its last race has come up: spoilt keys
and values may be read a dozen times before a token comes out another one."""

CHUNK = 10
"""Runs that a process is given at a time."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one timing: the step with the first wrong token, NONE where all are right."""

    timing: int
    first_wrong: int

    @property
    def wrong(self) -> bool:
        """True when a token came out wrong."""
        return self.first_wrong != NONE


@dataclass(slots=True)
class Exploration:
    """The outcomes so far of a configuration under `jitter_percent` of jitter."""

    config: RunConfig
    jitter_percent: float
    outcomes: list[Outcome] = field(default_factory=list)

    @property
    def share(self) -> float:
        """Share of the runs with wrong tokens, 0 to 1."""
        return sum(outcome.wrong for outcome in self.outcomes) / max(1, len(self.outcomes))

    @property
    def histogram(self) -> dict[int, int]:
        """How many runs first went wrong at each step, by step."""
        return dict(sorted(Counter(o.first_wrong for o in self.outcomes if o.wrong).items()))

    def config_of(self, timing: int) -> RunConfig:
        """The configuration of one of the runs."""
        return replace(self.config, jitter_percent=self.jitter_percent, timing=timing)


class ExploreError(RuntimeError):
    """Why an exploration ended early, in one sentence."""


def explore(
    config: RunConfig, jitter_percent: float, runs: int, workers: int = 1
) -> Iterator[Exploration]:
    """Try timings 1 to `runs`; yields the exploration behind each run, or each few of them, so
    that whoever listens can show how far it is, and stop.

    With several `workers` the runs are shared between as many processes. They take seconds to
    start, so they are kept: worth it for hundreds of runs. What has not begun when this generator
    is closed is dropped. Raises ExploreError where one of the processes is ended from outside.
    """
    found = Exploration(config, jitter_percent)
    for outcomes in _tried(found, runs, workers):
        found.outcomes += outcomes
        yield found


def _tried(found: Exploration, runs: int, workers: int) -> Iterator[list[Outcome]]:
    timings = range(1, runs + 1)
    if workers == 1:
        yield from (try_timings(found, [timing]) for timing in timings)
        return
    bare = replace(found, outcomes=[])
    chunks = [timings[start : start + CHUNK] for start in range(0, runs, CHUNK)]
    try:
        yield from process_pool(workers).map(try_timings, [bare] * len(chunks), chunks)
    except BrokenProcessPool:
        process_pool.cache_clear()  # the next exploration gets new ones
        raise ExploreError(
            "A process that was trying timings is gone: ended from outside, perhaps for want of "
            "memory. Start the exploration again."
        ) from None


def cut_where_it_races(config: RunConfig) -> RunConfig:
    """The configuration without jitter, cut after STEPS steps, or so much later that each of its
    races has come up and had time to show. One that is cut already stays as it is."""
    config = replace(config, jitter_percent=0.0, timing=0)
    if config.steps is not None:
        return config
    latest = max((hazard.step for hazard in execute(config).hazards), default=0)
    return replace(config, steps=STEPS if latest < STEPS // 2 else latest + STEPS)


def try_timings(exploration: Exploration, timings: Sequence[int]) -> list[Outcome]:
    """The outcomes of these timings."""
    truth, recall = truth_of(exploration.config), recall_of(exploration.config)
    outcomes = []
    for timing in timings:
        step = first_wrong_step(exploration.config_of(timing), truth, recall)
        outcomes.append(Outcome(timing, step))
    return outcomes


@lru_cache(maxsize=4)
def recall_of(config: RunConfig) -> Recall:
    """What was read in runs of a configuration, whatever their durations; the last ones are
    kept by this process."""
    return {}


def truth_of(config: RunConfig) -> Run:
    """The synchronous baseline: nothing races in it, so its tokens know no timing."""
    return baseline(replace(config, jitter_percent=0.0, timing=0))


def first_wrong_step(config: RunConfig, truth: Run, recall: Recall | None = None) -> int:
    """The step that commits the first token other than in `truth`, NONE where there is none.

    `recall` is one for all runs that differ from this one in nothing but durations.
    """
    watch = _Watch(truth.texts)
    run = execute(config, listener=watch, stop=lambda: watch.saw_wrong, recall=recall)
    step = _first_wrong(run, truth)
    if run.stopped and step == NONE:  # the text looked wrong, and no token is
        step = _first_wrong(execute(config, recall=recall), truth)
    return step


def _first_wrong(run: Run, truth: Run) -> int:
    cut = run.stopped or run.config.steps is not None
    return diff_tokens(run.requests, truth.requests, run.steps, cut).first_step


class _Watch:
    """A listener that sees the first text that goes another way than it should."""

    def __init__(self, truth: Mapping[str, str]) -> None:
        self._truth = truth
        self._so_far: dict[str, str] = defaultdict(str)
        self.saw_wrong = False

    def __call__(self, request: str, new: str) -> None:
        text = self._so_far[request] + new
        self._so_far[request] = text
        expected = self._truth.get(request, "")
        if not (expected.startswith(text) or text.startswith(expected)):
            self.saw_wrong = True
