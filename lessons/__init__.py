"""The course: one folder a lesson, on the lab's own engine.

Lessons may use the engine and the traces; they know no page. The lessons themselves are
still to be written.
"""
