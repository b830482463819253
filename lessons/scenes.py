"""The runs of a lesson's scenes: each is made once, and its figures are read from it."""

from collections.abc import Mapping
from functools import lru_cache

from engine import Run, configure, execute
from engine.config import RunConfig
from lessons.figures import figure_of
from lessons.lesson import Lesson, Scene
from lessons.programs import program_figure, ran


def config_of(scene: Scene, changes: Mapping[str, str] | None = None) -> RunConfig:
    """The configuration of a scene, with toggles changed by the learner.

    Raises ModeError, MechanismError, CostError, WorkloadError or ConfigError.
    """
    return configure(
        scene.mode,
        set={**scene.toggles, **(changes or {})},
        workload=scene.workload,
        cost=scene.cost,
        batch=scene.batch,
        steps=scene.steps,
        requests=scene.requests,
        seed=scene.seed,
        jitter=scene.jitter,
        compute=scene.compute,
    )


@lru_cache(maxsize=32)
def run_of(config: RunConfig) -> Run:
    """The run of a configuration; the last few are kept."""
    return execute(config)


def scene_figure(lesson: Lesson, scene: Scene, wanted: str) -> float:
    """A figure of a scene, read from its own run. Raises KeyError."""
    if scene.program:
        return program_figure(ran(lesson.folder, scene), wanted)
    return figure_of(run_of(config_of(scene)), wanted)


def figure(lesson: Lesson, name: str) -> float:
    """A figure as "scene.figure", read from that scene's own run."""
    scene, _, wanted = name.partition(".")
    return scene_figure(lesson, lesson.scene_named(scene), wanted)


def quoted(lesson: Lesson) -> dict[str, str]:
    """All figures that the text may quote, by "scene.figure", as they are written in it."""
    return {
        f"{scene.id}.{name}": value
        for scene in (*lesson.scene, *lesson.run)
        for name, value in scene.figures.items()
    }
