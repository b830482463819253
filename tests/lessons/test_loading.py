"""A lesson folder that is not right is refused in one sentence naming the file and the entry."""

import re
import shutil

import msgspec
import pytest

from lessons import loading
from lessons.cli import main
from lessons.judging import judge
from lessons.lesson import LANGUAGES, LessonError
from lessons.loading import broken, lesson_named, lessons, load_lesson, text_of
from lessons.scenes import config_of
from lessons.texts import parse_text


@pytest.fixture
def folder(tmp_path):
    """A copy of a whole lesson."""
    source = lesson_named("07").folder
    return shutil.copytree(source, tmp_path / source.name)


def change(path, pattern, replacement):
    text = path.read_text("utf-8")
    changed = re.sub(pattern, replacement, text, count=1)
    assert changed != text
    path.write_text(changed, encoding="utf-8")


def test_a_scene_may_have_a_cost_of_the_lessons_own_and_times_that_vary():
    lesson = lesson_named("17")
    scene, preset = lesson.scene_named("uneven"), lesson.scene_named("two")
    assert scene.cost == str(lesson.folder / "uneven.json")
    assert scene.has_own_files and not preset.has_own_files
    config = config_of(scene)
    assert (config.cost.name, config.jitter_percent) == ("uneven", scene.jitter)
    assert config_of(preset).jitter_percent == 0.0 < scene.jitter


def test_a_copy_of_a_lesson_is_read(folder):
    assert load_lesson(folder).id == folder.name[:2]


def test_a_lesson_with_the_line_ends_of_windows_is_the_same(folder):
    before = load_lesson(folder)
    for path in (path for path in folder.rglob("*") if path.suffix in (".md", ".toml", ".py")):
        path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    ours, theirs = lesson_named("07"), load_lesson(folder)
    assert msgspec.to_builtins(theirs, enc_hook=str) == msgspec.to_builtins(before, enc_hook=str)
    assert all(text_of(theirs, spoken) == text_of(ours, spoken) for spoken in LANGUAGES)
    assert judge(theirs, folder / "solution.py").passed
    assert not judge(theirs, folder / "exercise.py").passed


@pytest.mark.parametrize(
    ("pattern", "replacement", "named"),
    [
        (r"minutes = \d+", "minutes = 'ten'", "minutes"),
        (r"minutes = \d+", "", "minutes"),
        (r"minutes = \d+", "minutes = 5\nminute = 5", "minute"),
        (r'id = "\d\d"', 'id = "99"', "id is '99'"),
        (r"prerequisites = \[.*\]", 'prerequisites = ["77"]', "prerequisites: '77'"),
        (r'figure = ".*"', 'figure = "nowhere.steps"', "no scene 'nowhere'"),
        (r'figure = ".*"', 'figure = "stale.wall_ms"', "'stale' is no scene that the page shows"),
        (r'group = ".*"', 'group = "all"', "$.group`: it must be one of 'engine', 'further', "),
        (r'kind = "edge"', 'kind = "hedge"', "one of 'choice', 'edge', 'number'"),
        (r"switches = \[.*\]", 'switches = ["speed"]', "switches: there is no mechanism 'speed'"),
        (r"\[\[scene\]\]\nid = .*", '[[scene]]\nid = "x"\nmode = "no-such"', "scene x: "),
        (r"\[wrong\]", "[wrong]\nnot_there = 'gap'", "wrong: "),
        (r"^#", "= 5 #", "line 1"),
    ],
)
def test_a_wrong_entry_is_named_with_its_file(folder, pattern, replacement, named):
    change(folder / "lesson.toml", pattern, replacement)
    with pytest.raises(LessonError) as error:
        load_lesson(folder)
    message = str(error.value)
    assert "lesson.toml: " in message and named in message and "\n" not in message


@pytest.mark.parametrize("name", ["zh.md", "exercise.py", "check.py", "solution.py"])
def test_a_missing_file_is_named(folder, name):
    (folder / name).unlink()
    with pytest.raises(LessonError, match=name):
        load_lesson(folder)


@pytest.mark.parametrize(
    ("pattern", "replacement", "named"),
    [
        ("## Explain", "## Explained", "headings"),
        ("# ", "", "# Title"),
        ("### Hints", "### Tips", "Hints"),
        (r"\n1\. ", "\n", "3 numbered hints"),
    ],
)
def test_a_text_without_its_parts_is_refused(folder, pattern, replacement, named):
    change(folder / "en.md", pattern, replacement)
    with pytest.raises(LessonError, match="en.md") as error:
        text_of(load_lesson(folder), "en")
    assert named in str(error.value)


@pytest.mark.parametrize(
    ("pattern", "replacement", "named"),
    [
        (r"\{\w+\.", "{nowhere.", "{nowhere."),
        (r"term:\w+", "term:no-such", "no entry 'no-such'"),
        (r"<!-- scene: \w+", "<!-- scene: other", "scenes"),
        (r"\n- ", "\n", "predict.ranges"),
    ],
)
def test_a_text_that_no_page_could_show_is_refused(folder, pattern, replacement, named):
    change(folder / "zh.md", pattern, replacement)
    with pytest.raises(LessonError, match="zh.md") as error:
        load_lesson(folder)
    assert named in str(error.value)


def test_every_folder_of_the_course_can_be_used():
    assert broken() == {}


def test_a_broken_folder_is_told_and_the_others_work(folder, monkeypatch, capsys):
    good = shutil.copytree(lesson_named("02").folder, folder.parent / "02_three_layers")
    second = shutil.copytree(good, folder.parent / "02_three_layers_again")
    program = shutil.copytree(lesson_named("05").folder, folder.parent / "05_streams")
    (program / "programs.py").write_text("1 / 0", encoding="utf-8")
    (folder / "lesson.toml").write_text("no toml", encoding="utf-8")
    monkeypatch.setattr(loading, "FOLDER", folder.parent)
    assert list(lessons()) == ["02"]
    assert set(broken()) == {"02", "05", "07"}
    assert second.name in broken()["02"] and "ZeroDivisionError" in broken()["05"]
    assert main(["list"]) == 0
    shown = capsys.readouterr()
    assert "\n  02  " in shown.out and len(shown.err.splitlines()) == 3
    assert main(["start", "07"]) == 2 and "lesson.toml" in capsys.readouterr().err
    assert lesson_named("2").id == "02"


def test_a_text_is_taken_apart():
    source = """# Title
One sentence.
## Predict
What {s.steps}?
- one
- two,
  and more
## See
Look.
<!-- scene: s -->
### Here
There, [in flight](term:in-flight), for stepping.
## Explain
Because of [steps](term:step) in-flight.
## Break or fix it
Do.
### Hints
1. a
2. b
3. c
## In the wild
x/y#1
"""
    text = parse_text(source, "en")
    assert (text.title, text.summary) == ("Title", "One sentence.")
    assert text.choices == ("one", "two, and more") and text.hints == ("a", "b", "c")
    assert text.parts["see"] == "Look."
    assert text.scenes == {"s": "### Here\nThere, [in flight](term:in-flight), for stepping."}
    assert text.figures == ["s.steps"]
    parts = {part: text.terms_in(part) for part in text.parts if text.terms_in(part)}
    assert parts == {"see": {"in-flight"}, "explain": {"step"}}


def test_a_lesson_is_found_by_its_number_with_or_without_the_nought():
    first = next(iter(lessons()))
    assert lesson_named(first) is lesson_named(str(int(first)))
    with pytest.raises(LessonError, match="there is no lesson '98'"):
        lesson_named("98")
