"""The suite's own flags, tried on a small test file in a pytest of its own."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

TESTS = """
import pytest

@pytest.mark.slow
def test_slow(): pass

@pytest.mark.browser
def test_browser(): pytest.skip("no Chromium")

@pytest.mark.slow
@pytest.mark.browser
def test_slow_browser(): pytest.skip("no Chromium")
"""


BROWSER_TESTS = """
import os, pathlib, pytest

@pytest.mark.browser
@pytest.mark.parametrize("number", range(8))
def test_browser(number):
    (pathlib.Path(__file__).parent / os.environ["PYTEST_XDIST_WORKER"]).touch()
"""

SECOND_TRY = """
import pathlib, pytest

def once(name):
    mark = pathlib.Path(__file__).with_name(name)
    tried = mark.exists()
    mark.touch()
    assert tried

@pytest.mark.browser
def test_browser(): once("browser")

def test_other(): once("other")
"""

SETTINGS = ("-c", str(ROOT / "pyproject.toml"), "-p", "tests.conftest", "-p", "no:cacheprovider")


@pytest.mark.parametrize(
    ("arguments", "required", "outcome"),
    [
        (["--slow"], "", "1 passed, 2 skipped"),
        ([], "1", "1 failed, 2 skipped, 1 rerun"),
        (["--slow"], "1", "2 failed, 1 passed, 2 rerun"),
    ],
)
def test_slow_tests_wait_for_their_flag_and_a_required_browser_may_not_be_missing(
    arguments: list[str], required: str, outcome: str, tmp_path: Path
) -> None:
    file = tmp_path / "test_small.py"
    file.write_text(TESTS)
    result = subprocess.run(
        [sys.executable, "-m", "pytest", *SETTINGS, *arguments, str(file)],
        cwd=ROOT,
        env=os.environ | {"OVERLAP_LAB_REQUIRE_BROWSER": required},
        capture_output=True,
        text=True,
    )
    assert f" {outcome} in " in result.stdout
    assert result.returncode == ("failed" in outcome)


def test_browser_tests_share_one_worker_and_so_one_server(tmp_path: Path) -> None:
    file = tmp_path / "test_small.py"
    file.write_text(BROWSER_TESTS)
    options = ("-n", "2", "--dist", "loadgroup")
    result = subprocess.run(
        [sys.executable, "-m", "pytest", *SETTINGS, *options, str(file)],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert " 8 passed in " in result.stdout
    assert len(list(tmp_path.glob("gw*"))) == 1


def test_a_browser_test_has_a_second_try_which_is_told_and_no_other_has(tmp_path: Path) -> None:
    file = tmp_path / "test_small.py"
    file.write_text(SECOND_TRY)
    result = subprocess.run(
        [sys.executable, "-m", "pytest", *SETTINGS, str(file)],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert " 1 failed, 1 passed, 1 rerun in " in result.stdout
    assert "rerun test summary" in result.stdout and 'once("browser")' in result.stdout
