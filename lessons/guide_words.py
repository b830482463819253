"""The instructor's guide's own words, in both languages."""

from lessons.lesson import Words

GUIDE = {
    "head": Words(
        "# Instructor's guide, lesson by lesson\n\n"
        "This page is written by `python -m lessons guide > docs/instructors-guide.md` from the "
        "lessons' own folders;\na test says when it is out of date. It holds the answers: hand "
        "learners the worksheet, not this.\nHow a class is run, collected and graded is told in "
        "[running-a-class.md](running-a-class.md). [中文](instructors-guide.zh.md)",
        "# 教师手册：逐课说明\n\n"
        "本页由 `python -m lessons guide --lang zh > docs/instructors-guide.zh.md` 从各课的文件夹"
        "生成；\n过期时会有测试指出。页中有答案：发给学员的应是练习单，不是本页。\n"
        "怎样带一个班、收作业和评分，见 [running-a-class.zh.md](running-a-class.zh.md)。"
        "[English](instructors-guide.md)",
    ),
    "lesson": Words("lesson", "课"),
    "minutes": Words("minutes", "分钟"),
    "level": Words("level", "难度"),
    "after": Words("after", "先修"),
    "exercise": Words("exercise", "练习"),
    "code": Words("code", "代码"),
    "questions": Words("questions", "问题"),
    "first steps": Words("first steps", "入门"),
    "core": Words("core", "核心"),
    "advanced": Words("advanced", "进阶"),
    "total": Words(
        "Together about {hours} hours of a learner's time; the first ten lessons alone make a "
        "course.",
        "学完约需 {hours} 小时；只学前十课也自成一门课。",
    ),
    "facts": Words(
        "{minutes} minutes, {level}, after: {after}. For the class: `{link}`",
        "{minutes} 分钟，{level}，先修：{after}。给全班的链接：`{link}`",
    ),
    "prediction": Words("The prediction.", "预测。"),
    "number": Words(
        "The run says {found}; right is what lies within {within} of it.",
        "运行结果是 {found}；相差不超过 {within} 都算对。",
    ),
    "choice": Words(
        "The run says {found}. Of these answers ✓ is right, and ✗ is what to expect from a class:",
        "运行结果是 {found}。以下答案中 ✓ 正确，✗ 是班上常见的想法：",
    ),
    "look": Words("What to look for, scene by scene", "逐个场景看什么"),
    "checks": Words("What the exercise is checked for", "练习检查什么"),
    "question": Words("question", "问题"),
    "answer": Words("answer", "答案"),
    "why": Words("why", "理由"),
    "wrong": Words("Common wrong answers", "常见的错误答案"),
    "mistake": Words("mistake", "错误（`wrong/` 里的文件）"),
    "told": Words("what the check says", "检查怎么说"),
    "of_the_question": Words(
        "The question's own “why”, or that the answer is missing.",
        "该问题自己的“理由”，或指出还没有作答。",
    ),
}
