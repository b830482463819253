"""Real files of other projects on the Inspect page: each gets its verdict, or is refused kindly.

They are not part of this repository. The folder is OVERLAP_LAB_PUBLIC_TRACES, or
../shared/public_traces beside the repository; without it these tests are skipped.
"""

import json
import os
from pathlib import Path

import pytest

from lab.inspect.canvas_picture import Shown, make_picture
from lab.inspect.comparing import steps_told
from lab.inspect.inspection import Inspection
from lab.inspect.verdict import verdict
from traces import TraceError, compare, open_trace

BESIDE = Path(__file__).parents[4] / "shared" / "public_traces"
FOLDER = Path(os.environ.get("OVERLAP_LAB_PUBLIC_TRACES", BESIDE))
FILES = sorted(FOLDER.iterdir()) if FOLDER.is_dir() else []
FILES = [path for path in FILES if path.suffix not in {".md", ".tsv"}]
SMALL = 130_000
"""Bytes of a file that takes no time worth mentioning; the others wait for --slow."""

pytestmark = pytest.mark.skipif(not FILES, reason=f"no public traces in {FOLDER.name}")

VERDICTS = {
    "TraceLens__inference_sglang_decode_sglang_Qwen3-8B_decode.json.gz": "cannot tell why",
    "TraceLens__b200_eager_trace.json.gz": "waits for the host's next launch",
    "TraceLens__train_resnet18.json.gz": "waits for memory that is allocated or freed",
    "kineto__resnet50_num_workers_0_worker0.1623143089861.pt.trace.json.gz": "next batch of data",
}


def inspected(name: str) -> Inspection:
    return Inspection(open_trace(FOLDER / name, name), name, name)


@pytest.mark.parametrize(
    "path",
    [
        pytest.param(path, marks=[] if path.stat().st_size < SMALL else [pytest.mark.slow])
        for path in FILES
    ],
    ids=lambda path: path.name,
)
def test_every_file_is_judged_and_drawn_or_refused_in_a_sentence(path: Path) -> None:
    try:
        opened = inspected(path.name)
    except TraceError as error:
        assert str(error).endswith(".") and "\n" not in str(error)
        return
    assert bool(verdict(opened)) == bool(opened.devices)
    assert opened.devices or opened.warnings
    assert sum(idle.idle_ns for idle in opened.idles) == sum(gap.ns for gap in opened.gaps)
    picture = make_picture(opened, Shown(opened.first_lanes, opened.first_window))
    assert picture.drawn and json.loads(json.dumps(picture.data)) == picture.data


@pytest.mark.parametrize(
    ("name", "words"),
    [
        pytest.param(*item, marks=[pytest.mark.slow] if number else [])
        for number, item in enumerate(VERDICTS.items())
    ],
)
def test_the_verdict_is_the_known_one(name: str, words: str) -> None:
    assert words in verdict(inspected(name))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("pattern", "changed", "faster"),
    [
        ("kineto__resnet50_num_workers_{}_*", "data loading fell", True),
        ("nsys-ai__mfu_2gpu_{}.sqlite", "starved by launches rose", False),
    ],
)
def test_compare_says_what_changed(pattern: str, changed: str, faster: bool) -> None:
    names = ("0", "4") if "workers" in pattern else ("before", "after")
    pair = [next(FOLDER.glob(pattern.format(name))) for name in names]
    result = compare(*(open_trace(path) for path in pair))
    assert result.changes[0].startswith(changed)
    assert (": -" in steps_told(result)) == faster
