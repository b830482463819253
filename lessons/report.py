"""A verdict as text for a terminal and as plain values for a program."""

from typing import Any

from lessons.checks import Verdict, said, title
from lessons.lesson import Lesson, Words

PASSED = Words("{name}: public checks passed", "{name}：公开检查全部通过")
FAILED = Words(
    "{name}: {points} of {most} points; not all public checks passed",
    "{name}：{most} 分中得 {points} 分；公开检查没有全部通过",
)


def as_values(lesson: Lesson, verdict: Verdict, language: str) -> dict[str, Any]:
    """The verdict as plain values, its sentences in one language."""
    return {
        "lesson": lesson.id,
        "passed": verdict.passed,
        "points": verdict.points,
        "most": verdict.most,
        "checks": [
            {
                "name": check.name,
                "title": title(lesson, check, language),
                "passed": check.passed,
                "points": check.points if check.passed else 0,
                "most": check.points,
                "message": "" if check.passed else said(lesson, check, language),
            }
            for check in verdict.checks
        ],
    }


def as_lines(lesson: Lesson, name: str, verdict: Verdict, language: str) -> list[str]:
    """The verdict in lines: each check with a mark, its points and what is wrong."""
    lines = []
    for check in verdict.checks:
        got = check.points if check.passed else 0
        mark = "ok  " if check.passed else "FAIL"
        lines.append(f"{mark} {got}/{check.points}  {title(lesson, check, language)}")
        if not check.passed:
            lines.append(f"            {said(lesson, check, language)}")
    whole = PASSED if verdict.passed else FAILED
    lines.append(whole.said(language, name=name, points=verdict.points, most=verdict.most))
    return lines
