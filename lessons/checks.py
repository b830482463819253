"""What a check says of a piece of work: named checks with points, each passed or with a message.

A lesson's `check.py` has one function, `check(work, lesson) -> Verdict`, where `work` is the
student's file as a module. Messages go by key; the sentences stand in `lesson.toml`
(or below, for what can happen in every lesson), so that both languages have them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from lessons.lesson import Lesson, Words
from traces import Trace

COMMON = {
    "ok": Words("Right.", "正确。"),
    "missing": Words(
        "The file has no {name}: keep the names of the exercise as they are.",
        "文件里没有 {name}：请保留练习给出的名字。",
    ),
    "empty": Words(
        "The file is empty: `python -m lessons start` gives you a fresh one.",
        "文件是空的：用 `python -m lessons start` 可以重新取一份。",
    ),
    "unreadable": Words("The file cannot be read: {error}.", "无法读取文件：{error}。"),
    "too_large": Words(
        "The file has more than {kilobytes} kB: hand in the exercise alone.",
        "文件超过 {kilobytes} kB：请只提交练习本身。",
    ),
    "syntax": Words(
        "Python cannot read line {line} of your file: {error}.",
        "Python 读不懂你文件的第 {line} 行：{error}。",
    ),
    "crash": Words(
        "Your code stopped with {error} (line {line}).",
        "你的代码在第 {line} 行因 {error} 而中止。",
    ),
    "uncheckable": Words(
        "What your code gives cannot be checked: {error}.",
        "你的代码给出的结果无法检查：{error}。",
    ),
    "forbidden": Words(
        "Your code tried to {act}, which an exercise has no need of; it was stopped there.",
        "你的代码试图{act_zh}；练习用不到这个操作，因此在那里被中止。",
    ),
    "endless": Words(
        "Your code was still running after {seconds} s and was stopped: look for a loop that "
        "never ends.",
        "你的代码运行了 {seconds} 秒仍未结束，已被停止：请检查是否有死循环。",
    ),
    "memory": Words(
        "Your code needed more than {megabytes} MB of memory and was stopped.",
        "你的代码占用的内存超过 {megabytes} MB，已被停止。",
    ),
    "died": Words(
        "The process that ran your code ended without a result (exit code {code}).",
        "运行你代码的进程没有给出结果就结束了（退出码 {code}）。",
    ),
    "unanswered": Words("Not answered yet.", "还没有作答。"),
    "not_a_number": Words("This takes a number, in {unit}.", "这里要填一个数，单位是 {unit}。"),
    "not_a_choice": Words("This takes one of: {choices}.", "这里只能填：{choices}。"),
    "number_off": Words("{given} {unit} is not it.", "{given} {unit} 不对。"),
    "choice_off": Words("“{given}” is not it.", "“{given}”不对。"),
}
"""Messages of every lesson."""

WHOLE = Words("The file runs", "文件可以运行")
"""The name of the one check that is left where a file cannot be checked at all."""


@dataclass(frozen=True)
class Check:
    """One named check. `message` is a key, `values` fill its sentence."""

    name: str
    passed: bool
    message: str = "ok"
    points: int = 1
    values: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Verdict:
    """All checks of one piece of work; `trace`: a run of it that fails, to be looked at."""

    checks: Sequence[Check]
    trace: Trace | None = None

    @property
    def passed(self) -> bool:
        """True when every check is."""
        return all(check.passed for check in self.checks)

    @property
    def points(self) -> int:
        """Points of the checks that passed."""
        return sum(check.points for check in self.checks if check.passed)

    @property
    def most(self) -> int:
        """Points that there are."""
        return sum(check.points for check in self.checks)


def failed(message: str, **values: object) -> Verdict:
    """The verdict on a file that cannot be checked."""
    return Verdict([Check("runs", False, message, values=values)])


def said(lesson: Lesson, check: Check, language: str) -> str:
    """What a check says, in a language."""
    words = lesson.messages.get(check.message) or COMMON[check.message]
    return words.said(language, **check.values)


def title(lesson: Lesson, check: Check, language: str) -> str:
    """What a check is called, in a language."""
    named = {question.id: question.ask for question in lesson.question}
    return (lesson.checks.get(check.name) or named.get(check.name) or WHOLE).said(language)
