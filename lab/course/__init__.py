"""The Lessons page: the course at a glance, and the parts of a lesson."""
