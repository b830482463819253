"""The pages, the text of a command and its JSON tell of one trace the same figures on one base.

The public traces are not part of this repository (`test_public_traces`); without them what wants
them is skipped.
"""

from collections.abc import Sequence
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from tests.lab.apps import INSPECT, metrics, open_page
from tests.lab.inspect.test_public_traces import FOLDER
from traces import compare, open_trace, read_traces, summarize
from traces.comparison import as_json as compared
from traces.comparison import as_text as compared_text
from traces.samples import FOLDER as SAMPLES
from traces.summary import as_text
from traces.units import percent, signed_ms
from traces.whatif import as_text as whatif_text

MFU = [f"nsys-ai__mfu_2gpu_{name}.sqlite" for name in ("before", "after")]
HTA = [f"HTA__trace_compare_{name}_{name}.json.gz" for name in ("base", "test")]
SYNC, ITEM = (f"engine-{name}.json.gz" for name in ("sync", "item-sync"))

OPENED = [
    pytest.param([MFU[0]], id="two GPUs in one file"),
    pytest.param(HTA, id="two ranks"),
    pytest.param([SYNC], id="a sample"),
    pytest.param([ITEM], id="a sample that overlaps"),
]
PAIRS = [
    pytest.param(MFU, id="two GPUs in each"),
    pytest.param(HTA, id="two single ranks"),
    pytest.param([MFU[0], HTA[0]], id="two GPUs and one"),
    pytest.param([SYNC, ITEM], id="two samples"),
]


def path_of(name: str) -> Path:
    path = (SAMPLES if (SAMPLES / name).is_file() else FOLDER) / name
    if not path.is_file():
        pytest.skip(f"no public traces in {FOLDER.name}")
    return path


def shown(app: AppTest) -> str:
    """All words on a page as they are read."""
    assert not app.exception and not app.error
    return "\n".join(one.value for one in [*app.markdown, *app.caption]).replace("\\", "")


def inspected(names: Sequence[str], view: str) -> AppTest:
    app = open_page(INSPECT, view=view)
    files = [(name, path_of(name).read_bytes(), "application/octet-stream") for name in names]
    app.file_uploader(key="trace-sample-0").set_value(files)
    return app.run()


@pytest.mark.parametrize("names", OPENED)
def test_findings_have_one_share_and_one_base(names: list[str]) -> None:
    figures = summarize(read_traces([path_of(name) for name in names]))
    page, text = shown(inspected(names, "findings")), as_text(figures)
    idle = sum(device["observed"]["idle_ms"] for device in figures["devices"])
    assert sum(figures["gaps"].values()) == pytest.approx(idle)
    idlest = min(figures["devices"], key=lambda device: device["observed"]["active"])
    assert f"idle {percent(1 - idlest['observed']['active'])} of" in page
    assert f"GPU {idlest['id']}    active {percent(idlest['observed']['active'])}" in text
    several = len(figures["devices"]) > 1
    for told in (page, text):
        assert ("both GPUs together" in told) == several
    for finding in [one for one in figures["findings"] if one["share"] >= 0.002]:
        assert f"{finding['rule']}, {percent(finding['share'])}" in text
        assert percent(finding["share"]) in page
        assert finding["rule"].capitalize() in page or finding["rule"] in page
        each = ", ".join(f"GPU {one['id']} {percent(one['share'])}" for one in finding["devices"])
        assert (each in page and f"({each})" in text) or not several


@pytest.mark.parametrize("names", OPENED)
def test_each_gpus_findings_about_gaps_add_up_to_its_idle_share(names: list[str]) -> None:
    figures = summarize(read_traces([path_of(name) for name in names]))
    of_busy_time = {"exposed communication", "one stream for copies and kernels",
                    "pageable copies with no kernel beside them"}  # fmt: skip
    for device in figures["devices"]:
        shares = [
            one["share"]
            for finding in figures["findings"] if finding["rule"] not in of_busy_time
            for one in finding["devices"] if one["id"] == device["id"]
        ]  # fmt: skip
        assert sum(shares) == pytest.approx(1 - device["observed"]["active"], abs=1e-9)


@pytest.mark.parametrize("names", OPENED)
def test_what_async_would_give_is_told_on_one_base(names: list[str]) -> None:
    what_if = summarize(read_traces([path_of(name) for name in names]))["what_if"]
    app = inspected(names, "outlook")
    text = whatif_text(what_if)
    if what_if["cannot_tell"]:
        assert any(what_if["cannot_tell"] in one.value.replace("\\", "") for one in app.info)
        assert what_if["cannot_tell"] in text
        return
    saved = f"{percent(what_if['saving'])} of recorded saved"
    assert saved in text and saved in {metric.delta for metric in app.metric}
    assert {"Recorded", "Sync", "Async", "Bound"} <= metrics(app).keys()
    assert all(f"\n{name} " in text for name in ("recorded", "sync", "async", "bound"))


@pytest.mark.parametrize("names", PAIRS)
def test_a_comparison_has_the_same_figures_everywhere(names: list[str]) -> None:
    first, second = (open_trace(path_of(name), name) for name in names)
    figures = compared(compare(first, second))
    text = compared_text(figures)
    app = open_page("lab/pages/compare.py")
    for letter, name in zip("ab", names, strict=True):
        app.file_uploader(key=f"trace-{letter}-0").upload(name, path_of(name).read_bytes())
        app.run()
    page = shown(app)
    several = [len(figures[side]["devices"]) > 1 for side in "ab"]
    for side, has_several in zip("ab", several, strict=True):
        whose = "both GPUs together" if has_several else "GPU"
        active = figures[side]["active"]
        assert f"{whose} idle {percent(1 - active)}" in page
        assert percent(active) in text
    assert ("of the time of all GPUs together" in text) == any(several)
    for change in figures["changes"]:
        told = change.partition(", mostly")[0]
        assert told in text and told[:1].upper() + told[1:] in page
    if figures["gaps_per"] == "step":
        idle = signed_ms(sum(row["change_ms"] for row in figures["gaps"]))
        steps = [row["b_ms"] - row["a_ms"] for row in figures["steps"]]
        change = signed_ms(sum(steps) / len(steps))
        assert f"{idle} ms is idle time" in page and f"{idle} ms is idle time" in text
        assert f"{change} ms a step" in page and f"take {change} ms each" in text
    table = app.dataframe[0].value
    assert table["Change (ms)"].tolist() == pytest.approx(
        [row["change_ms"] for row in figures["gaps"]]
    )
