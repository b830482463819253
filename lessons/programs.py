"""Scenes that are no run of the engine: small programs on its device, one file of them a lesson.

A program is a function of the lesson's `programs.py` that makes a virtual device, lets the host
call it, and returns it, with numbers by name where it has computed some. Its arguments are words,
the options that a learner may change. Here it is run, its device runs dry, and its figures are
read; each says its unit in its name.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path
from types import ModuleType

from engine.checker.hazards import Hazard, find_hazards
from engine.device.virtual import VirtualDevice
from engine.oplog import Op, OpKind
from engine.results.dump import build_trace
from lessons.judging import load_module
from lessons.lesson import LessonError, Scene
from traces import Trace, device_activity

FILE = "programs.py"

WORK = (OpKind.KERNEL, OpKind.H2D, OpKind.D2H)


@dataclass(frozen=True, eq=False)
class Ran:
    """A program that has run to its end."""

    device: VirtualDevice
    about: str
    computed: Mapping[str, float] = field(default_factory=dict)

    @cached_property
    def hazards(self) -> list[Hazard]:
        """Accesses to the same memory that nothing orders."""
        return find_hazards(self.device.log)

    @cached_property
    def trace(self) -> Trace:
        """The run as a trace for the timeline."""
        return build_trace(self.device.log, self.device.spans, [], {"program": self.about})

    @property
    def work(self) -> list[Op]:
        """Copies and kernels as they were issued."""
        return [op for op in self.device.log if op.kind in WORK]

    @property
    def wall_ns(self) -> int:
        """When host and device have ended (ns)."""
        return max(self.device.now_ns, *(op.end_ns for op in self.device.log), 0)

    def named(self, name: str) -> Op:
        """The first copy or kernel of that name. Raises KeyError."""
        return {op.name: op for op in reversed(self.work)}[name]


def functions_of(folder: Path) -> ModuleType:
    """The lesson's programs. Raises LessonError where the file does not run."""
    with _faults_of(folder / FILE):
        return load_module(folder / FILE, "lesson_programs")


@contextmanager
def _faults_of(path: Path) -> Iterator[None]:
    """Whatever a lesson's own code raises becomes a LessonError."""
    try:
        yield
    except LessonError:
        raise
    except Exception as error:
        raise LessonError(f"{path} stopped with {type(error).__name__}: {error}") from error


@lru_cache(maxsize=64)
def _ran(folder: Path, name: str, options: tuple[tuple[str, str], ...]) -> Ran:
    with _faults_of(folder / FILE):
        made = getattr(functions_of(folder), name)(**dict(options))
        device, computed = made if isinstance(made, tuple) else (made, {})
        device.finish()
        return Ran(device, name, computed)


def ran(folder: Path, scene: Scene, changes: Mapping[str, str] | None = None) -> Ran:
    """The run of a scene's program, with options changed by the learner; the last ones are kept.

    Raises LessonError where the lesson's own code stops.
    """
    first = {name: values[0] for name, values in scene.options.items()}
    return _ran(folder, scene.program, tuple(sorted((first | dict(changes or {})).items())))


def _both_ms(run: Ran, names: str) -> float:
    """How long two operations run at the same time (ms)."""
    one, other = (run.named(name) for name in names.split("+"))
    return max(0, min(one.end_ns, other.end_ns) - max(one.start_ns, other.start_ns)) / 1e6


def _blocked_ms(run: Ran, _: str) -> float:
    """How long the host waits (ms)."""
    return sum(span.end_ns - span.start_ns for span in run.device.spans if span.waits_for) / 1e6


FIGURES: dict[str, Callable[[Ran, str], float]] = {
    "wall_ms": lambda run, _: run.wall_ns / 1e6,
    "starts_ms": lambda run, name: run.named(name).start_ns / 1e6,
    "ends_ms": lambda run, name: run.named(name).end_ns / 1e6,
    "takes_ms": lambda run, name: (run.named(name).end_ns - run.named(name).start_ns) / 1e6,
    "both_ms": _both_ms,
    "host_free_ms": lambda run, _: max(op.issue_ns for op in run.work) / 1e6,
    "host_blocked_ms": _blocked_ms,
    "hazard_kinds": lambda run, _: len(run.hazards),
    "kernels_percent": lambda run, _: 100 * device_activity(run.trace)[0].compute_active,
    "computed": lambda run, name: run.computed[name],
}
"""What reads each figure from a program's run; arguments stand behind a colon, as in
`lessons.figures`: `ends_ms:A` is when operation A ends, `both_ms:A+B` how long both run."""


def program_figure(run: Ran, name: str) -> float:
    """A figure by its name. Raises KeyError for one that does not exist, or an operation that
    does not."""
    known, _, argument = name.partition(":")
    return FIGURES[known](run, argument)
