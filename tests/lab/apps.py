"""The app run by Streamlit's AppTest, on any page, and what it shows."""

import json
from pathlib import Path
from typing import Any

from streamlit.testing.v1 import AppTest

from lab.picture.palette import STYLE_NAMES

APP = str(Path(__file__).resolve().parents[2] / "app.py")
TIMELINE, INSPECT = "lab/pages/timeline.py", "lab/pages/inspect.py"


def open_page(page: str = "", **query: str) -> AppTest:
    """The app on a page, with URL parameters."""
    app = AppTest.from_file(APP, default_timeout=120)
    for name, value in query.items():
        app.query_params[name] = value
    if page:
        app.switch_page(page)
    return app.run()


def timeline(**query: str) -> AppTest:
    return open_page(TIMELINE, steps="8", **query)


def stepper(**query: str) -> AppTest:
    return open_page("lab/pages/stepper.py", **{"steps": "8", **query})


def in_address(app: AppTest, name: str) -> str:
    """A parameter of the page's URL."""
    value = app.query_params[name]
    return value if isinstance(value, str) else value[-1]


def charts(app: AppTest) -> list[dict[str, Any]]:
    return [json.loads(chart.proto.spec) for chart in app.get("plotly_chart")]


def canvas(app: AppTest) -> dict[str, Any]:
    """What the canvas of the Inspect page was given to draw."""
    (found,) = app.get("bidi_component")
    data: dict[str, Any] = json.loads(found.proto.json)
    return data


def canvas_styles(app: AppTest) -> set[str]:
    """The styles of its bars."""
    return {STYLE_NAMES[number] for number in canvas(app)["bars"]["style"]}


def metrics(app: AppTest) -> dict[str, str]:
    return {metric.label: metric.value for metric in app.metric}


def upload(name: str, data: bytes, **query: str) -> AppTest:
    app = open_page(INSPECT, **query)
    app.file_uploader(key="trace-sample-0").upload(name, data)
    return app.run()
