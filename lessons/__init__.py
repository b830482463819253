"""The course: one folder a lesson, on the lab's own engine.

A lesson is data (`lesson.toml`), text in two languages (`en.md`, `zh.md`) and an exercise with
its check. What stands beside the folders reads, runs and grades any of them, and names none.
Lessons may use the engine and the traces; they know no page.
"""
