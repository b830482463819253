"""start.py: the environment is made once, mended when damaged, and every refusal is a sentence.

The environments here are real but hold no pip, and the installing itself is replaced: the
suite needs no network.
"""

import importlib.util
import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path
from typing import Any

import pytest

import start

ROOT = Path(start.__file__).parent


class Installer:
    """Stands in for pip: puts one package of one module into the environment, and counts."""

    def __init__(self, folder: Path) -> None:
        self.installs = 0
        self.environments = 0
        self.folder = folder

    def site_packages(self) -> Path:
        (found,) = self.folder.glob(".venv/[Ll]ib/**/site-packages")
        return found

    def create(self, path: Path, **_: Any) -> None:
        self.environments += 1
        venv.EnvBuilder(clear=True, symlinks=os.name != "nt").create(path)

    def install(self) -> None:
        self.installs += 1
        info = self.site_packages() / "timeline-1.0.dist-info"
        info.mkdir(exist_ok=True)
        (info / "METADATA").write_text("Metadata-Version: 2.1\nName: timeline\nVersion: 1.0\n")
        (info / "RECORD").write_text("timeline.py,,\ntimeline-1.0.dist-info/METADATA,,\n")
        (self.site_packages() / "timeline.py").write_text("")


@pytest.fixture
def installer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Installer:
    """start.py moved into an empty project, with its environment made once."""
    installer = Installer(tmp_path)
    for name in ("VENV", "PYTHON", "STAMP"):
        monkeypatch.setattr(start, name, tmp_path / getattr(start, name).relative_to(ROOT))
    monkeypatch.setattr(start, "ROOT", tmp_path)
    monkeypatch.setattr(start, "install", installer.install)
    monkeypatch.setattr(venv, "create", installer.create)
    (tmp_path / "pyproject.toml").write_text("[project]\n")
    (tmp_path / "constraints.txt").write_text("timeline==1.0\n")
    start.prepare_environment()
    return installer


def test_a_second_start_installs_nothing(installer: Installer) -> None:
    start.prepare_environment()
    assert (installer.environments, installer.installs) == (1, 1)


def test_new_constraints_are_installed_into_the_same_environment(installer: Installer) -> None:
    (installer.folder / "constraints.txt").write_text("timeline==1.1\n")
    start.prepare_environment()
    start.prepare_environment()
    assert (installer.environments, installer.installs) == (1, 2)


def test_packages_that_the_user_added_are_left_alone(installer: Installer) -> None:
    info = installer.site_packages() / "notebook-7.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: notebook\nVersion: 7.0\n")
    start.prepare_environment()
    assert (installer.environments, installer.installs) == (1, 1)


def delete_python(installer: Installer) -> None:
    start.PYTHON.unlink()


def delete_module(installer: Installer) -> None:
    (installer.site_packages() / "timeline.py").unlink()


def uninstall_package(installer: Installer) -> None:
    (installer.site_packages() / "timeline.py").unlink()
    shutil.rmtree(installer.site_packages() / "timeline-1.0.dist-info")


def stop_before_the_stamp(installer: Installer) -> None:
    start.STAMP.unlink()


def empty_the_folder(installer: Installer) -> None:
    shutil.rmtree(start.VENV)
    start.VENV.mkdir()


@pytest.mark.parametrize(
    "damage",
    [delete_python, delete_module, uninstall_package, stop_before_the_stamp, empty_the_folder],
)
def test_a_damaged_environment_is_made_anew(installer: Installer, damage: Any) -> None:
    damage(installer)
    start.prepare_environment()
    assert (installer.environments, installer.installs) == (2, 2)
    assert "timeline 1.0" in start.intact_packages()


def test_an_install_that_fails_leaves_no_stamp(
    installer: Installer, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail() -> None:
        raise subprocess.CalledProcessError(1, "pip")

    monkeypatch.setattr(start, "install", fail)
    (installer.folder / "constraints.txt").write_text("timeline==2.0\n")
    with pytest.raises(subprocess.CalledProcessError):
        start.prepare_environment()
    assert not start.STAMP.exists()


def commands_of_install(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    commands: list[list[str]] = []
    monkeypatch.setattr(subprocess, "run", lambda command, **_: commands.append(command))
    start.install()
    return commands


def test_torch_comes_from_its_cpu_index_only_where_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TORCH", raising=False)
    plain = commands_of_install(monkeypatch)
    monkeypatch.setenv("TORCH", "cpu")
    pip, torch, project = commands_of_install(monkeypatch)
    assert plain == [pip, project]
    assert torch[-3:] == ["--index-url", start.CPU_TORCH_INDEX, "torch"]


def test_an_old_python_is_refused_in_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "version_info", (3, 10, 13))
    with pytest.raises(SystemExit, match=r"needs Python 3\.11 or newer and this is 3\.10"):
        start.main([])


@pytest.mark.parametrize("module", ["venv", "ensurepip"])
def test_a_missing_module_is_named_with_its_remedy(
    module: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: None if name == module else found(name)
    )
    with pytest.raises(SystemExit, match=rf"lacks its module {module}.*install python3-venv"):
        start.main([])


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (PermissionError("not yours"), r"cannot be written \(not yours\): make it writable"),
        (subprocess.CalledProcessError(1, "pip"), "could not be installed.*run the same command"),
    ],
)
def test_a_failed_install_is_told_in_one_sentence(
    error: Exception, sentence: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail() -> None:
        raise error

    monkeypatch.setattr(start, "prepare_environment", fail)
    with pytest.raises(SystemExit, match=sentence):
        start.main([])


def run_checks_with(
    codes: dict[str, int], monkeypatch: pytest.MonkeyPatch
) -> tuple[int, list[list[str]]]:
    """Run the checks with the exit code of each tool given (0 where it is not)."""
    commands: list[list[str]] = []

    def call(command: list[str]) -> int:
        commands.append(command[2:])
        return codes.get(command[2], 0)

    monkeypatch.setattr(subprocess, "call", call)
    return start.run_checks(["-k", "slots"]), commands


def test_the_checks_run_in_order_and_pytest_gets_the_arguments(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    code, commands = run_checks_with({}, monkeypatch)
    assert code == 0
    assert [command[0] for command in commands] == ["ruff", "ruff", "mypy", "pytest"]
    assert commands[-1][-2:] == ["-k", "slots"]
    assert not any("slots" in command for command in commands[:-1])


def test_the_first_failing_check_is_named_and_ends_the_run(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    code, commands = run_checks_with({"mypy": 3}, monkeypatch)
    assert code == 3
    assert commands[-1] == ["mypy"]
    assert capsys.readouterr().err == "mypy failed (exit code 3).\n"


@pytest.mark.parametrize(
    ("platform", "environment", "screen"),
    [
        ("linux", {}, False),
        ("linux", {"DISPLAY": ":0"}, True),
        ("linux", {"WAYLAND_DISPLAY": "wayland-0"}, True),
        ("linux", {"DISPLAY": ":0", "CI": "true"}, False),
        ("darwin", {}, True),
        ("win32", {}, True),
        ("darwin", {"CI": "true"}, False),
    ],
)
def test_a_browser_opens_only_where_there_is_a_screen(
    platform: str, environment: dict[str, str], screen: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "platform", platform)
    for name in ("CI", "DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert start.has_screen() is screen


CHECK_CREDENTIALS = """
from streamlit import config
from streamlit.runtime.credentials import check_credentials
config.set_option("server.headless", False)
check_credentials()
"""


def streamlit_asks_nothing(home: Path) -> bool:
    """Streamlit's own check before a start, in a new home and with nobody there to answer."""
    result = subprocess.run(
        [sys.executable, "-c", CHECK_CREDENTIALS],
        cwd=home,
        env=os.environ | {"HOME": str(home), "USERPROFILE": str(home)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
    )
    return result.returncode == 0


def test_a_first_start_asks_for_no_email(tmp_path: Path) -> None:
    assert not streamlit_asks_nothing(tmp_path)
    shutil.copytree(ROOT / ".streamlit", tmp_path / ".streamlit")
    assert streamlit_asks_nothing(tmp_path)


@pytest.mark.parametrize("command", [["engine", "workloads"], ["lessons", "list"]])
def test_a_folder_called_as_a_package_is_not_taken_for_it(
    tmp_path: Path, command: list[str]
) -> None:
    for name in ("engine", "traces", "lab", "lessons"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "run.json.gz").touch()
    done = subprocess.run(
        [sys.executable, "-m", *command], cwd=tmp_path, capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (0, "") and done.stdout
