"""The Sweep page: what is drawn of a table, and that a row's link brings its very run."""

import argparse
import math

import pandas as pd
import plotly.graph_objects as go
import pytest

from engine.cli import _parser
from engine.config import ConfigError
from engine.execution import execute
from engine.modes.table import MODES
from engine.results.report import run_report
from engine.run_options import configuration
from engine.sweep.reading import read_table, typed
from engine.sweep.row import COLUMNS, figures, point_of, row_of
from lab.catalogue import t
from lab.escape import for_markdown
from lab.sweep.picture import Axes, picture
from lab.sweep.table import SAMPLE, in_order, measures, query_of, varying
from lab.timeline.state import Choice
from tests.lab.apps import charts, open_page

PAGE = "lab/pages/sweep.py"


@pytest.fixture(scope="module")
def sample():
    return read_table(SAMPLE, "sample")


def test_the_sample_is_drawn_by_what_varies_in_it(sample) -> None:
    app = open_page(PAGE)
    assert not app.exception and not app.error
    assert varying(sample) == ["cost", "seed", "wait_h2d", "depth"]
    (figure,) = charts(app)
    drawn = sum(len(trace["x"]) for trace in figure["data"] if trace["mode"] == "markers")
    assert drawn == len(sample) == 48
    assert figure["layout"]["yaxis"]["title"]["text"] == "GPU active (%)"
    table = app.dataframe[0].value
    assert len(table) == 48 and table["Run"].str.startswith("timeline?").all()


def test_what_is_drawn_stands_in_the_url() -> None:
    app = open_page(PAGE, x="depth", y="wrong_tokens", colour="wait_h2d", facet="none")
    (figure,) = charts(app)
    assert figure["layout"]["yaxis"]["title"]["text"] == "Wrong tokens (count)"
    assert {trace["name"] for trace in figure["data"]} == {"on", "off"}
    assert max(max(trace["y"]) for trace in figure["data"]) > 0
    app.selectbox(key="x").set_value("seed").run()
    assert app.query_params["x"] in ("seed", ["seed"])
    nonsense = open_page(PAGE, x="<b>", y="nan", colour="\u202e", facet="no_such")
    assert not nonsense.exception and len(charts(nonsense)) == 1


def test_no_two_fields_have_the_same_column() -> None:
    app = open_page(PAGE, x="depth", colour="depth", facet="wait_h2d")
    assert app.session_state["colour"] != "depth" and app.session_state["x"] == "depth"
    app.selectbox(key="colour").set_value("cost").run()
    app.selectbox(key="facet").set_value("seed").run()
    app.selectbox(key="colour").set_value("seed").run()
    assert app.session_state["colour"] == "seed" != app.session_state["facet"]


def test_a_colour_that_the_first_field_lacks_stands_in_the_legend_too(sample) -> None:
    part = sample[(sample["depth"] == 2) | (sample["wait_h2d"] == "on")]
    figure = picture(part, Axes("cost", "gpu_active", "wait_h2d", "depth"))
    assert sorted(trace["name"] for trace in figure["data"] if trace["showlegend"]) == ["off", "on"]


def test_rows_are_shown_in_the_order_of_what_varies_whenever_they_got_done(sample) -> None:
    shuffled = sample.sample(frac=1, random_state=0)
    names = ["seed", "cost", "depth", "wait_h2d"]
    rows = in_order(shuffled, names)
    assert rows["seed"].is_monotonic_increasing
    costs = ["C2-G27-F4.8-in1", "C8-G27-F4.8-in1", "C16-G27-F4.8-in1", "C32-G27-F4.8-in1"]
    assert list(rows[rows["seed"] == 1]["cost"].unique()) == costs
    axis = picture(shuffled, Axes("cost", "gpu_active"))["layout"]["xaxis"]
    assert axis["categoryarray"] == costs
    (lines, _) = picture(shuffled, Axes("seed", "gpu_active"))["data"]
    assert lines["x"] == sorted(lines["x"])


def test_runs_that_could_not_be_are_told_where_there_are_any() -> None:
    (told,) = (caption.value for caption in open_page(PAGE).caption if "48" in caption.value)
    assert for_markdown(t("sweep.told", rows=48)) == told


def test_a_rows_link_asks_for_the_same_run(sample) -> None:
    row = (
        sample[(sample["depth"] == 2) & (sample["wait_h2d"] == "off") & (sample["seed"] == 1)]
        .iloc[1]
        .to_dict()
    )
    query = query_of(row)
    assert query is not None and query["wait_h2d"] == "off" and query["seed"] == "1"
    numbers = {name: int(query[name]) for name in ("steps", "seed")}
    choice = Choice("async", {"wait_h2d": "off"}, query["cost"], "", **numbers)
    found = figures(run_report(execute(choice.config())))
    assert all(row[name] == value for name, value in found.items() if value is not None)


def test_a_run_that_the_page_cannot_show_has_no_link(sample) -> None:
    row = sample.iloc[0].to_dict()
    for change in (
        {"device": "threads"}, {"workload": "mine"}, {"cost": "mine"}, {"batch": 500},
        {"error": "no"}, {"mode": "<script>"}, {"model": "1b"}, {"seed": -1},
        {"seed": pd.NA}, {"seed": None}, {"compute": pd.NA}, {"jitter": math.nan}, {"depth": pd.NA},
    ):  # fmt: skip
        assert query_of(row | change) is None
    plain = {"mode": "sync", "depth": 1, "seed": MODES["sync"].seed, "steps": pd.NA}
    scene = {"cost": "published-8b", "workload": "chat"}
    assert query_of(row | plain | scene) == {"mode": "sync"}


@pytest.mark.parametrize("y", ["gpu_active", "hazards"])
def test_a_table_with_errors_and_hostile_names_is_drawn(tmp_path, y) -> None:
    base = vars(_parser().parse_args(["sweep", "-o", "x"])) | {"steps": 2, "no_compute": True}
    asked = configuration(argparse.Namespace(**base))
    points = [
        asked | {"set": {"depth": depth}, "cost": cost}
        for depth in ("1", "0") for cost in ("worked-2-6", "<b>$x$")
    ]  # fmt: skip
    table = pd.DataFrame([row_of(point_of(point)) for point in points], columns=list(COLUMNS))
    path = tmp_path / "t.parquet"
    typed(table).to_parquet(path)
    read = read_table(path.read_bytes(), "t")
    assert read["error"].notna().sum() == 3 and y in measures(read)
    figure = picture(read, Axes("cost", y, "depth", "cost"))
    assert len(go.Figure(figure).data) == 2 and "<b>" not in str(figure)


def tables():
    """Tables that are none, or too much of one, by name."""
    table = pd.read_parquet(SAMPLE)
    return {
        "text": b"hello", "empty": b"", "cut": SAMPLE.read_bytes()[:5000],
        "another": pd.DataFrame({"run": [1]}), "kinds": table.assign(wall_ms="x"),
        "lists": table.assign(mode=[["a"]] * len(table)),
        "too large a seed": table.assign(seed=pd.array([2**64 - 1] * len(table), dtype="UInt64")),
        "rows": pd.concat([table, table]),
        "long text": table.assign(hazards_told="x" * 50_000),
    }  # fmt: skip


@pytest.mark.parametrize(
    "name",
    ["text", "empty", "cut", "another", "kinds", "lists", "too large a seed", "rows", "long text"],
)
def test_what_is_no_table_or_too_large_is_refused_in_one_sentence(name, monkeypatch) -> None:
    monkeypatch.setattr("engine.sweep.reading.MOST_RUNS", 60)
    monkeypatch.setattr("engine.sweep.reading.MOST_BYTES", 1 << 20)
    content = tables()[name]
    if isinstance(content, pd.DataFrame):
        content = content.to_parquet()
    with pytest.raises(ConfigError, match="is no table|is too large") as refusal:
        read_table(content, "x.parquet")
    assert len(str(refusal.value).splitlines()) == 1 and len(str(refusal.value)) < 200
    assert len(read_table(SAMPLE, "sample")) == 48
