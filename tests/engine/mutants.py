"""Mutants of the engine: every ordering call of the loop removed, moved or pointed elsewhere.

A mutant is the loop's own source with one change, compiled in memory:

* an ordering call (wait, record, synchronise, finish the slot's owner first) is *removed*;
* it is *moved* before the statement above it, or behind the one below;
* it names another *event* of the batch, or another *stream*;
* a *slot* is swapped: the next one of the ring is used in its place;
* the *deferred release* of KV blocks no longer waits for what is in flight.
"""

import ast
import copy
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType

import engine.kv.swap
import engine.loop
import engine.requests.lifecycle

ORDERING = {"wait", "record", "synchronize", "finish_up_to", "finish_all"}
EVENTS = ("h2d_done", "compute_done", "d2h_done", "masks_done")
STREAMS = ("h2d", "compute", "d2h")
SLOTS = {"device_slot", "host_slot"}


@dataclass(frozen=True)
class Mutant:
    """One changed module; `name` says where and what, `line` where it stood."""

    name: str
    module: ModuleType
    line: int
    tree: ast.Module

    def compiled(self) -> dict[str, object]:
        """The names that the changed source defines."""
        path = str(self.module.__file__)
        names = dict(vars(self.module))
        exec(compile(self.tree, path, "exec"), names)  # noqa: S102
        return names


def mutants() -> list[Mutant]:
    """All mutants, in the order of the source, each with a name of its own."""
    found = [
        *_of_module(engine.loop),
        *_of_module(engine.kv.swap),
        *_of_module(engine.requests.lifecycle),
        *_without_deferred_release(engine.requests.lifecycle),
    ]
    seen: Counter[str] = Counter()
    named = []
    for mutant in found:
        seen[mutant.name] += 1
        again = f" ({seen[mutant.name]})" if seen[mutant.name] > 1 else ""
        named.append(replace(mutant, name=mutant.name + again))
    return named


def _of_module(module: ModuleType) -> Iterator[Mutant]:
    source = ast.parse(Path(str(module.__file__)).read_text(encoding="utf-8"))
    for path, function in _functions(source):
        for line, what, changed in _changes(function):
            if not _streams_in(changed) <= _streams_in(source):
                continue  # it would only raise AttributeError
            tree = copy.deepcopy(source)
            _at(tree, path).body = changed.body
            ast.fix_missing_locations(tree)
            yield Mutant(f"{function.name}: {what}", module, line, tree)


def _functions(tree: ast.Module) -> Iterator[tuple[tuple[int, int], ast.FunctionDef]]:
    for outer, node in enumerate(tree.body):
        if isinstance(node, ast.ClassDef):
            for inner, child in enumerate(node.body):
                if isinstance(child, ast.FunctionDef):
                    yield (outer, inner), child


def _streams_in(tree: ast.AST) -> set[str]:
    return {_name_of(node) for node in ast.walk(tree)} & set(STREAMS)


def _at(tree: ast.Module, path: tuple[int, int]) -> ast.FunctionDef:
    holder = tree.body[path[0]]
    assert isinstance(holder, ast.ClassDef)
    function = holder.body[path[1]]
    assert isinstance(function, ast.FunctionDef)
    return function


def _changes(function: ast.FunctionDef) -> Iterator[tuple[int, str, ast.FunctionDef]]:
    """Every change of one function: its line, what it is, and the function after it."""
    for number, call in enumerate(_ordering_calls(function)):
        for what, changed in _call_changes(function, number):
            yield call.lineno, what, changed
    for number, use in enumerate(_slot_uses(function)):
        changed = copy.deepcopy(function)
        _swap_slot(_slot_uses(changed)[number])
        yield use.lineno, f"`{ast.unparse(use)}` takes the next slot", changed


def _call_changes(function: ast.FunctionDef, number: int) -> Iterator[tuple[str, ast.FunctionDef]]:
    text = ast.unparse(_ordering_calls(function)[number])
    changed = copy.deepcopy(function)
    block, at = _place_of(changed, _ordering_calls(changed)[number])
    block[at] = ast.Pass()
    yield f"`{text}` removed", changed
    for step, where in ((-1, "before the statement above"), (1, "behind the statement below")):
        changed = copy.deepcopy(function)
        block, at = _unit_of(changed, _ordering_calls(changed)[number])
        if 0 <= at + step < len(block) and _calls_something(block[at + step]):
            block[at], block[at + step] = block[at + step], block[at]
            yield f"`{text}` moved {where}", changed
    for names in (EVENTS, STREAMS):
        yield from _renamed(function, number, names)


def _renamed(
    function: ast.FunctionDef, number: int, names: tuple[str, ...]
) -> Iterator[tuple[str, ast.FunctionDef]]:
    """The call with another event of the batch, or on another stream."""
    text = ast.unparse(_ordering_calls(function)[number])
    for other in names:
        changed = copy.deepcopy(function)
        call = _ordering_calls(changed)[number]
        found = [node for node in ast.walk(call) if _name_of(node) in names]
        if found and _name_of(found[0]) != other:
            node = found[0]
            if isinstance(node, ast.Attribute):
                node.attr = other
            else:
                assert isinstance(node, ast.Name)
                node.id = f"self.parts.{other}"
            yield f"`{text}` becomes `{ast.unparse(call)}`", _reparsed(changed)


def _reparsed(function: ast.FunctionDef) -> ast.FunctionDef:
    """A stream that a function did not name is reached through `self.parts`."""
    tree = ast.parse(ast.unparse(function)).body[0]
    assert isinstance(tree, ast.FunctionDef)
    return tree


def _name_of(node: ast.AST) -> str:
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def _ordering_calls(function: ast.FunctionDef) -> list[ast.Expr]:
    return [
        node
        for node in ast.walk(function)
        if isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Call)
        and isinstance(node.value.func, ast.Attribute)
        and node.value.func.attr in ORDERING
    ]


def _slot_uses(function: ast.FunctionDef) -> list[ast.Subscript]:
    return [
        node
        for node in ast.walk(function)
        if isinstance(node, ast.Subscript)
        and isinstance(node.slice, ast.Attribute)
        and node.slice.attr in SLOTS
        and isinstance(node.ctx, ast.Load)
    ]


def _swap_slot(use: ast.Subscript) -> None:
    ring = ast.unparse(use.value)
    use.slice = ast.parse(f"({ast.unparse(use.slice)} + 1) % len({ring})", mode="eval").body


def _place_of(function: ast.FunctionDef, statement: ast.stmt) -> tuple[list[ast.stmt], int]:
    """The list of statements that holds this one, and its place in it."""
    for node in ast.walk(function):
        for name in ("body", "orelse"):
            block = getattr(node, name, None)
            if isinstance(block, list) and statement in block:
                return block, block.index(statement)
    raise AssertionError("the statement is not in the function")


def _unit_of(function: ast.FunctionDef, statement: ast.stmt) -> tuple[list[ast.stmt], int]:
    """As `_place_of`, of the outermost `if` that holds nothing but this statement."""
    block, at = _place_of(function, statement)
    for node in ast.walk(function):
        if isinstance(node, ast.If) and node.body is block and len(block) == 1 and not node.orelse:
            return _unit_of(function, node)
    return block, at


def _calls_something(statement: ast.stmt) -> bool:
    """False where passing the statement cannot matter: it calls nothing but a look-up."""
    calls = (node for node in ast.walk(statement) if isinstance(node, ast.Call))
    return any(_name_of(call.func) != "get" for call in calls)


def _without_deferred_release(module: ModuleType) -> Iterator[Mutant]:
    """Blocks go back when a request has ended, whatever is still in flight."""
    source = Path(str(module.__file__)).read_text(encoding="utf-8")
    deferred = "return not request.in_flight or at_once"
    assert source.count(deferred) == 1
    line = source[: source.index(deferred)].count("\n") + 1
    tree = ast.parse(source.replace(deferred, "return True"))
    yield Mutant("_may_release: blocks go back while a batch is in flight", module, line, tree)
