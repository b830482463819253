"""Scenes that are small programs on the device: run to their end, with figures and options."""

import shutil

import pytest

from lessons.lesson import LessonError, Scene
from lessons.loading import lesson_named, load_lesson
from lessons.programs import program_figure, ran

PROGRAMS = """
from engine.device.api import Kernel
from engine.device.cost import MS, CostModel
from engine.device.settings import Settings
from engine.device.virtual import VirtualDevice


def two_streams(order):
    cost = CostModel(kernel_ns={"a": 3 * MS, "b": 2 * MS}, launch_ns=MS, occupancy=100,
                     kernel_bandwidth=100)
    device = VirtualDevice(Settings(cost))
    memory = device.buffer("inputs", "x", (4,))
    one, two = device.stream("one"), device.stream("two")
    one.launch(Kernel("a", "a", (), (memory.first(4),), None))
    if order == "event":
        done = device.event("done")
        one.record(done)
        two.wait(done)
    if order == "host":
        device.synchronize()
    two.launch(Kernel("b", "b", (memory.first(4),), (), None))
    return device


def counted(order):
    return two_streams(order), {"answer": 42.0}
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "programs.py").write_text(PROGRAMS, encoding="utf-8")
    return tmp_path


SCENE = Scene(id="x", program="two_streams", options={"order": ("none", "event", "host")})


def test_the_first_value_of_an_option_leads_and_a_change_is_another_run(folder):
    alone, ordered = ran(folder, SCENE), ran(folder, SCENE, {"order": "event"})
    assert program_figure(alone, "starts_ms:b") == 2
    assert program_figure(ordered, "starts_ms:b") == 4
    assert ran(folder, SCENE) is alone


def test_a_programs_device_runs_dry_and_its_figures_are_those_of_its_log(folder):
    run = ran(folder, SCENE)
    found = {name: program_figure(run, f"{name}:a") for name in ("starts_ms", "ends_ms")}
    assert found == {"starts_ms": 1, "ends_ms": 4} and program_figure(run, "takes_ms:b") == 2
    assert program_figure(run, "both_ms:a+b") == 2
    assert program_figure(run, "host_free_ms") == 2 and program_figure(run, "host_blocked_ms") == 0
    assert program_figure(run, "wall_ms") == 4
    assert program_figure(ran(folder, SCENE, {"order": "host"}), "host_blocked_ms") == 3


def test_a_program_may_compute_numbers_beside_its_run(folder):
    run = ran(folder, Scene(id="y", program="counted", options=SCENE.options))
    assert program_figure(run, "computed:answer") == 42 and program_figure(run, "ends_ms:a") == 4
    with pytest.raises(KeyError):
        program_figure(run, "computed:question")


def test_a_race_in_a_program_is_found(folder):
    assert program_figure(ran(folder, SCENE), "hazard_kinds") == 1
    assert program_figure(ran(folder, SCENE, {"order": "event"}), "hazard_kinds") == 0


def test_a_figure_of_no_operation_is_an_error(folder):
    with pytest.raises(KeyError):
        program_figure(ran(folder, SCENE), "ends_ms:c")


@pytest.mark.parametrize(
    ("old", "new", "named"),
    [
        ('program = "urgent"', 'program = "no_such"', "program: programs.py has no 'no_such'"),
        ('priority = ["equal", "high"]', 'priority = ["equal"]', "options.priority"),
        ('"ends_ms:long" = "11.0"', 'gpu_idle_percent = "1"', "no figure 'gpu_idle_percent'"),
    ],
)
def test_a_wrong_entry_of_a_program_is_named(tmp_path, old, new, named):
    source = lesson_named("05").folder
    folder = shutil.copytree(source, tmp_path / source.name)
    path = folder / "lesson.toml"
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(LessonError) as error:
        load_lesson(folder)
    assert named in str(error.value) and "\n" not in str(error.value)
