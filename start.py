"""Install Overlap Lab beside this file and open it, or run its tests.

    python3 start.py [streamlit arguments]    opens the lab in the browser
    python3 start.py class [arguments]        serves it to a class (docs/serving.md)
    python3 start.py test [pytest arguments]  lint, format, types and tests

Each of them first fills the folder `.venv` with the versions of constraints.txt; a later start
finds them there. TORCH=cpu takes PyTorch's build for machines without a GPU, which matters on
Linux (about 0.2 GB instead of several). To change over, delete `.venv`.

Uses nothing outside Python's standard library, and no syntax so new that an old Python could
not read this far and say so. It knows nothing about the lab beyond `app.py`.
"""

import hashlib
import importlib.util
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent
VENV = ROOT / ".venv"
PYTHON = VENV / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
STAMP = VENV / "installed-for-python-{}.{}".format(*sys.version_info[:2])
"""Written last, so a folder without it was left half-made or belongs to another Python."""

CPU_TORCH_INDEX = "https://download.pytorch.org/whl/cpu"

LIST_INTACT_PACKAGES = """
from importlib.metadata import distributions
for package in distributions():
    files = (file for file in package.files or () if file.suffix != ".pyc")
    if all(file.locate().exists() for file in files):
        print(package.name, package.version)
"""

CHECKS = {
    "ruff check": ["-m", "ruff", "check", "."],
    "ruff format": ["-m", "ruff", "format", "--check", "."],
    "mypy": ["-m", "mypy"],
    # Three workers: one has the browser tests, which mostly wait.
    "pytest": ["-m", "pytest", "-n", "3", "--dist", "loadgroup"],
}


def main(arguments: "list[str]") -> int:
    """Install what is missing, then run the tests, serve a class or open the app; returns the
    exit code."""
    refuse_unfit_python()
    os.chdir(ROOT)
    try:
        prepare_environment()
    except OSError as error:
        sys.exit(f"The folder {VENV} cannot be written ({error}): make it writable or delete it.")
    except subprocess.CalledProcessError:
        sys.exit(
            "Overlap Lab could not be installed, for the reason in the lines above; once that is "
            "mended (is the network there?), run the same command again."
        )
    if arguments[:1] == ["test"]:
        return run_checks(arguments[1:])
    if arguments[:1] == ["class"]:
        return become([str(PYTHON), "-m", "deploy", *arguments[1:]])
    return open_app(arguments)


def refuse_unfit_python() -> None:
    """Leave with one sentence where this Python is too old or cannot make environments."""
    if sys.version_info < (3, 11):
        found = "{}.{}".format(*sys.version_info[:2])
        sys.exit(
            f"Overlap Lab needs Python 3.11 or newer and this is {found}: install a newer one "
            "and start with it, for example `python3.12 start.py`."
        )
    for module in ("venv", "ensurepip"):
        if importlib.util.find_spec(module) is None:
            sys.exit(
                f"This Python lacks its module {module}, which makes environments: install it "
                "(Debian and Ubuntu: `sudo apt install python3-venv`) and start again."
            )


def prepare_environment() -> None:
    """Bring `.venv` to the versions of constraints.txt; quick where it has them already.

    Raises OSError or CalledProcessError where the folder or the packages cannot be had.
    """
    import venv  # here, because some systems leave it out and are told so first

    wanted = fingerprint()
    recorded = STAMP.read_text().splitlines() if STAMP.is_file() else []
    intact = bool(recorded) and set(recorded[1:]) <= intact_packages()
    if intact and recorded[0] == wanted:
        return
    print("Installing into .venv (a few minutes the first time) ...", flush=True)
    if not intact:
        venv.create(VENV, clear=True, with_pip=True, symlinks=os.name != "nt")
    STAMP.unlink(missing_ok=True)
    install()
    STAMP.write_text("\n".join([wanted, *sorted(intact_packages())]))


def fingerprint() -> str:
    """A hash of the files that say what is to be installed."""
    files = (ROOT / "pyproject.toml", ROOT / "constraints.txt")
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()


def intact_packages() -> "set[str]":
    """Name and version of each package in `.venv` that has all its files; none where it is broken.

    Looks for about 26,000 files, 0.7 s, and finds what an interrupted or undone install left.
    """
    command = [str(PYTHON), "-I", "-c", LIST_INTACT_PACKAGES]
    try:
        return set(subprocess.run(command, capture_output=True, text=True).stdout.splitlines())
    except OSError:
        return set()


def install() -> None:
    """Install pip, where asked PyTorch's CPU build, and the project with its tools."""
    pip = [str(PYTHON), "-m", "pip", "install", "--constraint", "constraints.txt"]
    subprocess.run([*pip, "--quiet", "--upgrade", "pip"], check=True)
    if os.environ.get("TORCH") == "cpu":
        subprocess.run([*pip, "--no-deps", "--index-url", CPU_TORCH_INDEX, "torch"], check=True)
    pip += ["--build-constraint", "constraints.txt"]
    subprocess.run([*pip, "--editable", ".[sweep]", "--group", "dev"], check=True)


def run_checks(pytest_arguments: "list[str]") -> int:
    """Run the four checks in order; stops at the first that fails and returns its exit code."""
    for name, command in CHECKS.items():
        extra = pytest_arguments if name == "pytest" else []
        code = subprocess.call([str(PYTHON), *command, *extra])
        if code:
            print(f"{name} failed (exit code {code}).", file=sys.stderr)
            return code
    return 0


def open_app(streamlit_arguments: "list[str]") -> int:
    """Serve app.py, and open a browser where there is a screen to show it on."""
    headless = "false" if has_screen() else "true"
    command = [str(PYTHON), "-m", "streamlit", "run", "app.py", "--server.headless", headless]
    return become(command + streamlit_arguments)


def become(command: "list[str]") -> int:
    """Run a server in place of this process, so that a signal to it ends the server."""
    if os.name == "nt":
        return subprocess.call(command)
    os.execv(command[0], command)


def has_screen() -> bool:
    """Whether a browser window can be opened here."""
    if "CI" in os.environ:
        return False
    if sys.platform in ("win32", "darwin"):
        return True
    return "DISPLAY" in os.environ or "WAYLAND_DISPLAY" in os.environ


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)
