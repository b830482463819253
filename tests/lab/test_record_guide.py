"""The guide to recording a trace: a section for each profiler, with code that is code."""

import ast
import re

import pytest

from lab.record_guide import GUIDE, guide_parts

HEAD, SECTIONS = guide_parts(GUIDE.read_text("utf-8"))
PROFILERS = ("PyTorch", "vLLM", "SGLang", "transformers", "Nsight Systems")


@pytest.mark.parametrize("name", PROFILERS)
def test_every_profiler_has_commands_and_what_they_are_good_for(name: str) -> None:
    assert "```" in SECTIONS[name]
    assert "*Inspect*" in SECTIONS[name]


def test_the_beginning_says_what_to_switch_on_and_how_much() -> None:
    assert "| switch on |" in HEAD and "steps" in HEAD and not HEAD.startswith("#")


@pytest.mark.parametrize("name", SECTIONS)
def test_what_is_python_can_be_parsed(name: str) -> None:
    for code in re.findall(r"```python\n(.*?)```", SECTIONS[name], re.DOTALL):
        assert ast.parse(code).body


def test_the_settings_of_pytorchs_profiler_are_settings_that_it_has() -> None:
    profiler = pytest.importorskip("torch.profiler")
    from torch._C._profiler import _ExperimentalConfig

    (code,) = re.findall(r"```python\n(.*?)```", SECTIONS["PyTorch"], re.DOTALL)
    calls = {
        node.func.id: {word.arg: word.value for word in node.keywords}
        for node in ast.walk(ast.parse(code))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }
    numbers = {name: ast.literal_eval(value) for name, value in calls["schedule"].items()}
    assert callable(profiler.schedule(**numbers))
    known = profiler.profile.__init__.__kwdefaults__
    assert set(calls["profile"]) <= set(known)
    assert _ExperimentalConfig(profile_all_threads=True) is not None
