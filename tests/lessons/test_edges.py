"""Questions answered in a timeline: the marked edge is really the one at fault, by the checker."""

from types import SimpleNamespace

import msgspec
import pytest
from msgspec.structs import replace

from engine.checker.hazards import apply_fix, find_hazards
from engine.oplog import NONE, OpLog
from lessons.edges import (
    choices_of,
    edge_at_fault,
    edges_of,
    log_of,
    name_of,
    operations_of,
)
from lessons.lesson import LessonError
from lessons.loading import lessons, load_lesson
from lessons.questions import check_answer, check_answers

ASKED = [
    (lesson, question)
    for lesson in lessons().values()
    for question in lesson.question
    if question.kind == "edge"
]
every_edge = pytest.mark.parametrize(
    ("lesson", "question"), ASKED, ids=lambda it: getattr(it, "id", it)
)


def without(log, wait):
    """The log as it would be had the wait never been issued."""
    return OpLog([replace(op, target=NONE) if op.seq == wait else op for op in log],
                 log.streams, log.buffers)  # fmt: skip


def idle_ns(log):
    """Time between kernels in which none runs, up to the last (ns)."""
    kernels = sorted((op.start_ns, op.end_ns) for op in log if op.kind == "kernel")
    return sum(max(0, b[0] - a[1]) for a, b in zip(kernels, kernels[1:], strict=False))


def test_three_lessons_ask_and_every_kind_of_fault_is_asked_for():
    assert len({lesson.id for lesson, _ in ASKED}) >= 3
    assert {question.fault for _, question in ASKED} == {"wrong", "needless", "missing"}


@every_edge
def test_each_choice_has_a_name_of_its_own_and_one_of_them_is_right(lesson, question):
    choices = choices_of(lesson, question)
    assert len(choices) == len(set(choices)) > 5
    passed = [name for name in choices if check_answer(lesson, question, name).passed]
    assert passed == [edge_at_fault(lesson, question)]


@every_edge
def test_the_edge_at_fault_is_the_one_that_the_checker_complains_of(lesson, question):
    log = log_of(lesson, question)
    right, hazards = edge_at_fault(lesson, question), find_hazards(log)
    if question.fault == "needless":
        edge = next(edge for edge in edges_of(log) if edge.name == right)
        held_up_ns = edge.before.start_ns - edge.after.end_ns
        assert hazards == [] and held_up_ns == 0 and idle_ns(log) > 0
        assert find_hazards(without(log, edge.wait)) == []
        others = [other for other in edges_of(log) if other.wait != edge.wait]
        assert all(find_hazards(without(log, other.wait)) for other in others)
        return
    (hazard,) = hazards
    first, second = (log.ops[seq] for seq in hazard.ops)
    assert first.start_ns < second.end_ns and second.start_ns < first.end_ns  # to be seen, too
    assert find_hazards(apply_fix(log, hazard.fix)) == []
    into = [edge for edge in edges_of(log) if edge.before is second]
    if question.fault == "missing":
        assert right == name_of(second)
        assert first not in [edge.after for edge in into]
    else:
        (edge,) = (edge for edge in into if edge.name == right)
        assert edge.after.stream == first.stream and edge.after.step < first.step


@every_edge
def test_all_that_can_be_chosen_is_in_the_picture(lesson, question):
    log = log_of(lesson, question)
    waits = [op for op in log if op.kind in ("wait", "sync_op") and op.target != NONE]
    assert [edge.wait for edge in edges_of(log)] == [op.seq for op in waits]
    assert all(edge.after.end_ns <= edge.before.start_ns for edge in edges_of(log))
    assert len(operations_of(log)) == sum(op.kind in ("kernel", "h2d", "d2h") for op in log)


def test_a_run_without_the_fault_that_is_asked_for_is_a_fault_of_the_lesson():
    lesson, question = ASKED[0]
    other = msgspec.structs.replace(question, fault="needless")
    with pytest.raises(LessonError, match="0 faults are found"):
        edge_at_fault(lesson, other)


def test_an_answer_that_is_no_choice_is_told_the_choices():
    lesson, question = ASKED[0]
    work = SimpleNamespace(**{question.id: "forward 9 -> read tokens 9"})
    check = next(c for c in check_answers(work, lesson).checks if c.name == question.id)
    assert check.message == "not_a_choice"
    assert choices_of(lesson, question)[0] in check.values["choices"]


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ('run = "stale"', 'run = "ordered"', "there is no program 'ordered'"),
        ('fault = "wrong"\n', "", "fault: what is wrong"),
        ('run = "stale"\nfault = "wrong"', 'run = "stale"\nfault = "odd"', "Invalid enum value"),
    ],
)
def test_a_question_about_no_program_or_no_fault_is_refused(tmp_path, old, new, told):
    lesson = lessons()["07"]
    folder = tmp_path / lesson.folder.name
    folder.mkdir()
    for path in lesson.folder.iterdir():
        (folder / path.name).symlink_to(path)
    text = (lesson.folder / "lesson.toml").read_text("utf-8")
    (folder / "lesson.toml").unlink()
    (folder / "lesson.toml").write_text(text.replace(old, new, 1), "utf-8")
    with pytest.raises(LessonError, match=told):
        load_lesson(folder)
