"""Every text of the interface is in the catalogue, and nothing in it is left over."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.play import LEVELS
from lab.catalogue import LANGUAGE, LANGUAGES, t, t_or, texts
from lab.picture.palette import STYLES
from tests.lab.test_engine_words import wanted

ROOT = Path(__file__).resolve().parents[2]


def trees() -> Iterator[ast.Module]:
    for path in [ROOT / "app.py", *sorted((ROOT / "lab").rglob("*.py"))]:
        yield ast.parse(path.read_text("utf-8"))


def pieces(node: ast.expr) -> Iterator[ast.expr]:
    """The texts that an argument can be: itself, or the branches of a conditional."""
    if isinstance(node, ast.IfExp):
        yield from pieces(node.body)
        yield from pieces(node.orelse)
    else:
        yield node


def keys_asked_for() -> tuple[set[str], set[str]]:
    """Keys in calls of `t`, and patterns of the keys that are put together there."""
    keys: set[str] = set()
    patterns: set[str] = set()
    for tree in trees():
        for call in ast.walk(tree):
            if not (isinstance(call, ast.Call) and getattr(call.func, "id", "") == "t"):
                continue
            for key in pieces(call.args[0]):
                if isinstance(key, ast.JoinedStr):
                    patterns.add("".join(map(_pattern, key.values)))
                elif isinstance(key, ast.Constant):
                    keys.add(str(key.value))
    return keys, patterns


def _pattern(part: ast.expr) -> str:
    return re.escape(str(part.value)) if isinstance(part, ast.Constant) else r"\w+"


def strings_in_sources() -> set[str]:
    constants = (n for tree in trees() for n in ast.walk(tree) if isinstance(n, ast.Constant))
    return {node.value for node in constants if isinstance(node.value, str)}


def test_every_key_that_is_asked_for_exists() -> None:
    keys, patterns = keys_asked_for()
    assert len(keys) > 60
    assert keys - set(texts()) == set()
    assert [p for p in patterns if not any(re.fullmatch(p, key) for key in texts())] == []


def test_every_style_has_its_word() -> None:
    assert {style.label for style in STYLES.values()} <= set(texts())


def test_no_text_is_left_over() -> None:
    _, patterns = keys_asked_for()
    strings = strings_in_sources()
    unused = [
        key
        for key in texts()
        if key not in strings and not any(re.fullmatch(pattern, key) for pattern in patterns)
    ]
    assert unused == []


def test_a_missing_key_is_an_error_and_a_source_text_stands_in_where_it_may() -> None:
    with pytest.raises(KeyError):
        t("no.such.key")
    assert t_or("no.such.key", "the engine's own words") == "the engine's own words"


def test_placeholders_are_filled() -> None:
    assert t("hover.step", step=3) == "step 3"


def placeholders(text: str) -> list[str]:
    """The names that a text has to be filled with, and the markup that must not get lost."""
    return sorted(re.findall(r"(?<!\{)\{(\w+)\}(?!\})|%\{\{[^}]*\}\}|<[^>]+>", text))


OTHERS = [language for language in LANGUAGES if language != LANGUAGE]


@pytest.mark.parametrize("language", OTHERS)
def test_a_language_has_every_text_and_no_other(language: str) -> None:
    known, said = texts(), texts(language)
    assert known.keys() - said.keys() == set()
    assert said.keys() - known.keys() == wanted().keys()  # tests.lab.test_engine_words


@pytest.mark.parametrize("language", OTHERS)
def test_the_goal_of_a_level_names_the_same_numbers_and_races(language: str) -> None:
    for level in LEVELS.values():
        said = texts(language)[f"level.{level.id}.goal_text"]
        for goal in (level.goal_text, said):
            bound = level.goal.idle_percent
            assert (bound is None) == ("%" not in goal)
            assert bound is None or f"{bound} %" in goal
            assert all(hazard.split()[0] in goal for hazard in level.goal.hazards or ())


@pytest.mark.parametrize("language", OTHERS)
def test_a_translation_has_the_same_placeholders(language: str) -> None:
    said = texts(language)
    assert [k for k, text in texts().items() if placeholders(said[k]) != placeholders(text)] == []


def test_chinese_is_chinese() -> None:
    """Names, units and formulas may stay; sentences may not."""
    said = texts("zh")
    left = [
        key
        for key, text in texts().items()
        if len(re.findall(r"[A-Za-z]+", re.sub(r"\{[^}]*\}", "", text))) > 3
        and not re.search(r"[\u4e00-\u9fff]", said[key])
    ]
    assert left == []


def test_the_language_is_asked_for_at_every_look_up_and_english_stands_in(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("lab.catalogue._asked", [lambda: "zh"])
    assert t("hover.step", step=3) == "第 3 步"
    monkeypatch.setitem(texts("zh"), "hover.step", "")
    assert t("hover.step", step=3) == "step 3"


@pytest.mark.parametrize("language", [one for one in LANGUAGES if one != LANGUAGE])
def test_a_head_has_the_same_unit_in_every_language(language: str) -> None:
    """Units that are signs; those that are words are translated."""

    def unit(text: str) -> str:
        found = re.search(r"[(（](ms|µs|ns|s|kB|MB|%)[)）]$", text)
        return found[1] if found else ""

    other = {key: unit(texts(language)[key]) for key in texts()}
    assert other == {key: unit(text) for key, text in texts().items()} | {"axis.ms": "ms"}
