"""The guide to recording a trace: a section for each profiler, with code that is code, in every
language of the lab."""

import ast
import re

import pytest

from lab.catalogue import LANGUAGE, LANGUAGES, texts
from lab.record.guide import guide, guide_file

GUIDES = {language: guide(language) for language in LANGUAGES}
SECTIONS = {
    (language, code): body
    for language, (_, sections) in GUIDES.items()
    for code, (_, body) in sections.items()
}
PROFILERS = ("PyTorch", "vLLM", "SGLang", "transformers", "Nsight Systems")


def code_blocks(text: str) -> list[str]:
    return re.findall(r"```.*?```", text, re.DOTALL)


def test_every_language_has_a_guide_of_its_own() -> None:
    assert len({guide_file(language) for language in LANGUAGES}) == len(LANGUAGES)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", PROFILERS)
def test_every_profiler_has_commands_and_what_they_are_good_for(name: str, language: str) -> None:
    title, body = GUIDES[language][1][name]
    assert title == name
    assert "```" in body
    assert texts(language)["inspect.page"] in body


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_beginning_says_what_to_switch_on_and_how_much(language: str) -> None:
    head, english = GUIDES[language][0], GUIDES[LANGUAGE][0]
    assert not head.startswith("#")
    for mark in ("\n|", "\n- "):
        assert head.count(mark) == english.count(mark) > 4


@pytest.mark.parametrize(("language", "name"), SECTIONS)
def test_a_section_has_the_same_commands_settings_and_points_in_every_language(
    language: str, name: str
) -> None:
    text, english = SECTIONS[language, name], SECTIONS[LANGUAGE, name]
    assert code_blocks(text) == code_blocks(english)
    assert text.count("\n- ") == english.count("\n- ")
    named = [set(re.findall(r"`([^`\n]+)`", re.sub(r"```.*?```", "", one, flags=re.DOTALL)))
             for one in (text, english)]  # fmt: skip
    assert named[0] == named[1]


@pytest.mark.parametrize(("language", "name"), SECTIONS)
def test_what_is_python_can_be_parsed(language: str, name: str) -> None:
    for code in re.findall(r"```python\n(.*?)```", SECTIONS[language, name], re.DOTALL):
        assert ast.parse(code).body


def test_the_settings_of_pytorchs_profiler_are_settings_that_it_has() -> None:
    profiler = pytest.importorskip("torch.profiler")
    from torch._C._profiler import _ExperimentalConfig

    (code,) = re.findall(r"```python\n(.*?)```", SECTIONS[LANGUAGE, "PyTorch"], re.DOTALL)
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
