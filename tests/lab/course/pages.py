"""The pages of the course, opened by Streamlit's AppTest, and what they show."""

from streamlit.testing.v1 import AppTest

from tests.lab.apps import APP

LESSONS, TEACHERS = "lab/pages/lessons.py", "lab/pages/teachers.py"


def open_lessons(progress=None, page=LESSONS, **query):
    app = AppTest.from_file(APP, default_timeout=90)
    for name, value in query.items():
        app.query_params[name] = value
    if progress:
        from lessons.progress import Done

        app.session_state["course-progress"] = {k: Done(**v) for k, v in progress.items()}
        app.session_state["course-begun"] = True
    app.switch_page(page)
    return app.run()


def shown(app):
    return "\n".join(element.value for element in [*app.markdown, *app.caption, *app.info])
