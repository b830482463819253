"""One configuration under many timings: how often its tokens come out wrong.

A hazard is a property of the log, the same under every timing; whether it does harm is not. So
the same work is run again and again with jittered durations. A run is given up at its first
wrong text, for only the first wrong step is asked for.

What this module does not do: look for the one change that shows a race (`engine.smallest`).
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from engine.config import RunConfig
from engine.device.settings import Stopped
from engine.execution import Run, baseline, execute
from engine.oplog import NONE
from engine.token_diff import diff_tokens


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


def explore(config: RunConfig, jitter_percent: float, runs: int) -> Iterator[Exploration]:
    """Try timings 1 to `runs`; yields the exploration behind each run, so that whoever listens
    can show how far it is, and stop."""
    found = Exploration(config, jitter_percent)
    truth = truth_of(config)
    for timing in range(1, runs + 1):
        found.outcomes.append(Outcome(timing, first_wrong_step(found.config_of(timing), truth)))
        yield found


def truth_of(config: RunConfig) -> Run:
    """The synchronous baseline: nothing races in it, so its tokens know no timing."""
    return baseline(replace(config, jitter_percent=0.0, timing=0))


def first_wrong_step(config: RunConfig, truth: Run) -> int:
    """The step that commits the first token other than in `truth`, NONE where there is none."""
    run = execute(config, listener=_Watch(truth.texts))
    step = _first_wrong(run, truth)
    if run.stopped and step == NONE:  # the text looked wrong, and no token is
        step = _first_wrong(execute(config), truth)
    return step


def _first_wrong(run: Run, truth: Run) -> int:
    cut = run.stopped or run.config.steps is not None
    return diff_tokens(run.requests, truth.requests, run.steps, cut).first_step


class _Watch:
    """A listener that stops the run at the first text that goes another way than it should."""

    def __init__(self, truth: Mapping[str, str]) -> None:
        self._truth = truth
        self._so_far: dict[str, str] = defaultdict(str)

    def __call__(self, request: str, new: str) -> None:
        text = self._so_far[request] + new
        self._so_far[request] = text
        expected = self._truth.get(request, "")
        if not (expected.startswith(text) or text.startswith(expected)):
            raise Stopped
