"""The shape of the tree, read from the sources without running them.

Who may import whom is `app.py -> lab -> lessons -> engine -> traces`; streamlit, plotly and
torch stay in the layers that own them; a file says what it is for and keeps to 300 lines.
Each rule is also tried on a file that breaks it.
"""

import ast
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
LAYERS = ["traces", "engine", "lessons", "lab", "app"]
"""From the bottom up: each may import itself and what stands before it."""

OWNERS = {
    "streamlit": {"app", "lab"},
    "plotly": {"lab"},
    "torch": {"engine", "lessons"},
}
MAX_LINES = 300


def sources(root: Path) -> Iterator[Path]:
    """The Python files of the tree, relative to `root`, without hidden and build folders."""
    for path in sorted(root.rglob("*.py")):
        relative = path.relative_to(root)
        if not any(part.startswith(".") or part == "build" for part in relative.parts):
            yield relative


def imported_packages(tree: ast.Module) -> set[str]:
    """The top-level packages that a module imports anywhere; relative imports stay inside."""
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            names.add(node.module or "")
    return {name.partition(".")[0] for name in names}


def import_faults(path: Path, imported: set[str]) -> Iterator[str]:
    layer = path.parts[0].removesuffix(".py")
    if path.name == "start.py":
        for name in sorted(imported - sys.stdlib_module_names):
            yield f"{path} imports {name}, which is not in the standard library"
    if layer not in LAYERS:
        return
    for name in sorted(imported & set(LAYERS[LAYERS.index(layer) + 1 :])):
        yield f"{path} imports {name}, which stands above {layer}"
    for name in sorted(imported & OWNERS.keys()):
        if layer not in OWNERS[name]:
            yield f"{path} imports {name}, which is for {' and '.join(sorted(OWNERS[name]))}"


def faults(root: Path) -> list[str]:
    """One sentence for each broken rule in the tree under `root`."""
    found: list[str] = []
    for path in sources(root):
        text = (root / path).read_text(encoding="utf-8")
        tree = ast.parse(text, filename=str(path))
        found += import_faults(path, imported_packages(tree))
        if not ast.get_docstring(tree):
            found.append(f"{path} has no docstring")
        if (lines := len(text.splitlines())) > MAX_LINES:
            found.append(f"{path} has {lines} lines, more than {MAX_LINES}")
    return found


def test_the_tree_keeps_every_rule() -> None:
    assert Path("start.py") in set(sources(ROOT))
    assert faults(ROOT) == []


DOC = '"""What it is for."""\n'


@pytest.mark.parametrize(
    ("path", "text", "fault"),
    [
        (
            "traces/a.py",
            DOC + "import engine.model.decoder",
            "traces/a.py imports engine, which stands",
        ),
        ("traces/a.py", DOC + "from lab import page", "traces/a.py imports lab, which stands"),
        ("traces/a.py", DOC + "import torch", "traces/a.py imports torch, which is for"),
        ("engine/device/a.py", DOC + "from lessons import x", "imports lessons, which stands"),
        ("engine/a.py", DOC + "def f():\n    import streamlit as st", "imports streamlit"),
        ("lessons/a.py", DOC + "import lab", "lessons/a.py imports lab, which stands"),
        ("lessons/a.py", DOC + "import plotly", "imports plotly, which is for lab"),
        ("lab/a.py", DOC + "import app", "lab/a.py imports app, which stands"),
        (
            "lab/a.py",
            DOC + "from torch import nn",
            "imports torch, which is for engine and lessons",
        ),
        ("app.py", DOC + "import plotly.graph_objects", "app.py imports plotly"),
        ("start.py", DOC + "import numpy", "start.py imports numpy, which is not in the standard"),
        ("tests/test_a.py", "import lab", "tests/test_a.py has no docstring"),
        ("engine/a.py", DOC + "\n" * 300, "engine/a.py has 301 lines, more than 300"),
    ],
)
def test_a_file_that_breaks_a_rule_is_named(
    tmp_path: Path, path: str, text: str, fault: str
) -> None:
    file = tmp_path / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    (found,) = faults(tmp_path)
    assert fault in found


def test_what_the_rules_allow_is_not_reported(tmp_path: Path) -> None:
    allowed = {
        "app.py": "import streamlit\nfrom lab import page",
        "lab.py": "import plotly, streamlit, lessons, engine, traces, lab",
        "engine.py": "import torch, traces\nfrom .lab import page",
        "tests.py": "import torch, plotly, lab",
        ".venv/a.py": "import lab",
    }
    for name, text in allowed.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(DOC + text)
    assert faults(tmp_path) == []


def test_folders_of_pages_and_data_are_packages_of_a_wheel() -> None:
    """They have no `__init__.py`; without `namespaces` a wheel would lack the pages."""
    config = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    find = config["tool"]["setuptools"]["packages"]["find"]
    assert find.get("namespaces", True)
    folders = {path.parent.relative_to(ROOT) for path in (ROOT / "lab").rglob("*.py")}
    assert any(not (ROOT / folder / "__init__.py").exists() for folder in folders)
    assert {f"{layer}*" for layer in LAYERS if layer != "app"} == set(find["include"])
