"""The English sentences in the sources of `engine` and `traces` that a page can show, as templates:
"{}" stands for each value that is filled in."""

import ast
import itertools
import re
from collections.abc import Iterator
from pathlib import Path

from lab.guard import KNOWN

ROOT = Path(__file__).resolve().parents[2]
VALUE = "{}"
NAMED = re.compile(r"\{\w+(?::[^{}]*)?\}")
"""A value in a text that `format` fills in."""

WORDS = re.compile(r"[A-Za-z]\W* [^A-Za-z]*[A-Za-z]{2}")
"""At least two words."""

RAISED = {error.__name__ for error in KNOWN}

NEVER_ON_A_PAGE = {
    "engine/arguments.py", "engine/cli.py", "engine/json_file.py",
    "engine/measured/torch_profile.py", "engine/run_options.py", "engine/sweep/grid.py",
    "engine/sweep/table.py", "traces/__main__.py", "traces/cluster.py", "traces/conversion.py",
    "traces/folder.py", "traces/output.py",
}  # fmt: skip
"""Commands, and what is asked of the engine in Python or by files: pages open neither."""

WHOLLY = {
    "engine/config.py", "engine/device/cost_file.py", "engine/device/cuda.py",
    "engine/device/step_cost.py", "engine/device/worker.py", "engine/devices.py",
    "engine/forks/fork.py", "engine/graphs.py", "engine/model/tokenizer.py",
    "engine/requests/rules.py",
    "engine/workloads/file.py", "engine/workloads/reuse.py", "engine/workloads/workload.py",
    "traces/readers/chrome_notes.py", "traces/readers/chrome_trace.py",
    "traces/readers/nsight_reader.py", "traces/readers/plain_csv_reader.py",
    "traces/readers/refusals.py", "traces/readers/source.py", "traces/steps.py",
}  # fmt: skip
"""Modules that put sentences together from parts, or away from where they are raised: every text
in them that has two words is one."""

NO_SENTENCES = {
    "a modelled clock: the same times on every machine",
    "a thread for each stream: times as they really are",
    "an NVIDIA GPU: times as they really are",
    "CUDA graph {}", "graph capture", "graph id", "graph pool", "prompt lengths {}", "unknown call",
}  # fmt: skip
"""But for these: what a terminal shows of devices, and names."""


def templates(node: ast.AST) -> list[str] | None:
    """Every text that an expression can be; None where it is none that stands in the source."""
    match node:
        case ast.Constant(value=str(text)):
            return [NAMED.sub(VALUE, text)]
        case ast.JoinedStr(values=parts):
            return _joined(parts)
        case ast.BinOp(op=ast.Add(), left=left, right=right):
            return _joined([left, right]) if templates(left) or templates(right) else None
        case ast.IfExp(body=body, orelse=other) if templates(body) and templates(other):
            return [text for side in (body, other) for text in templates(side) or ()]
        case ast.FormattedValue(value=ast.IfExp() as choice):
            return templates(choice)
    return None


def _joined(parts: list[ast.expr]) -> list[str]:
    return list(map("".join, itertools.product(*(templates(part) or [VALUE] for part in parts))))


def texts_in(node: ast.AST) -> Iterator[str]:
    """All texts under a node: whole ones, and those among their values; no docstrings."""
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return
    if found := templates(node):
        yield from found
        for inner in ast.walk(node):
            if isinstance(inner, ast.FormattedValue) and not templates(inner):
                yield from texts_in(inner.value)
    else:
        for child in ast.iter_child_nodes(node):
            yield from texts_in(child)


def modules() -> Iterator[tuple[str, ast.Module]]:
    """Those of engine and traces that pages hear of, by path."""
    for path in sorted([*ROOT.glob("engine/**/*.py"), *ROOT.glob("traces/**/*.py")]):
        name = path.relative_to(ROOT).as_posix()
        if name not in NEVER_ON_A_PAGE:
            yield name, ast.parse(path.read_text("utf-8"))


def raised_in(tree: ast.Module) -> Iterator[ast.Call]:
    """The known errors that a module raises or makes."""
    for call in ast.walk(tree):
        if isinstance(call, ast.Call) and getattr(call.func, "id", "") in RAISED:
            yield call


def is_passed_on(call: ast.Call) -> bool:
    """Whether an error is raised with another error's sentence."""
    return [ast.unparse(argument) for argument in call.args] == ["str(error)"]


def sentences() -> set[str]:
    """All templates."""
    found: set[str] = set()
    for name, tree in modules():
        texts = {text for text in texts_in(tree) if WORDS.search(text)}
        if name in WHOLLY:
            found |= texts
        elif name.startswith("traces/readers/") or name == "traces/whatif.py":
            found |= {text for text in texts if text.endswith(".")}
        for call in raised_in(tree):
            found |= {text for text in texts_in(call) if WORDS.search(text)}
    return found


def unread() -> list[str]:
    """Errors of the engine whose sentence is made elsewhere, in modules that are not in WHOLLY."""
    return [
        f"{name}:{call.lineno}"
        for name, tree in modules()
        if name.startswith("engine/") and name not in WHOLLY
        for call in raised_in(tree)
        if not (is_passed_on(call) or any(map(WORDS.search, texts_in(call))))
    ]
