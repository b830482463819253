"""Sentences that engine and traces put together are said in the other language, too: all of them,
and none that they no longer make."""

import re

import pytest

from engine.device.cost_file import cost_from_dict
from engine.forks.fork import FIXED, make_fork
from engine.workloads.file import workload_from_dict
from lab.catalogue import LANGUAGE, LANGUAGES
from lab.sentences import PLACE, VALUE, in_language, templates
from tests.lab.test_engine_words import wanted
from tests.lab.told import NEVER_ON_A_PAGE, NO_SENTENCES, ROOT, WHOLLY, sentences, unread

OTHERS = [language for language in LANGUAGES if language != LANGUAGE]
ENGLISH = re.compile(r"(?:[A-Za-z]+ ){3}[A-Za-z]+")
"""Four words in a row."""


@pytest.fixture
def chinese(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lab.catalogue._asked", [lambda: "zh"])


def in_english(language: str) -> dict[str, str]:
    """The templates of a language by the English ones."""
    return {VALUE.join(fixed): other for fixed, other in templates(language)}


@pytest.mark.parametrize("language", OTHERS)
def test_a_language_has_every_sentence_and_no_other(language: str) -> None:
    made = sentences() - NO_SENTENCES - set(wanted().values())  # these have keys of their own
    known = in_english(language).keys()
    assert len(made) > 100
    assert made - known == set()
    assert known - made == set()


def test_every_sentence_of_the_engine_is_read_where_it_is_made() -> None:
    assert unread() == []
    assert NO_SENTENCES - sentences() == set()
    assert [name for name in NEVER_ON_A_PAGE | WHOLLY if not (ROOT / name).is_file()] == []


@pytest.mark.parametrize("language", OTHERS)
def test_a_template_has_the_same_places_and_the_same_code(language: str) -> None:
    for english, other in in_english(language).items():
        places, count = PLACE.findall(other), english.count(VALUE)
        numbered = [str(number) for number in range(count)]
        assert places == [""] * count or sorted(places) == numbered, english
        assert VALUE * 2 not in english
        code = re.compile(r"`[^`]+`")
        assert code.findall(english) == code.findall(other)


@pytest.mark.parametrize("language", OTHERS)
def test_every_template_is_found_by_its_own_sentence(language: str, chinese: None) -> None:
    for english, other in in_english(language).items():
        values = [f"<{number}>" for number in range(english.count(VALUE))]
        filled = english
        for value in values:
            filled = filled.replace(VALUE, value, 1)
        said = in_language(filled)
        assert PLACE.split(said)[0].startswith(PLACE.split(other)[0].split("<")[0])
        assert sorted(re.findall(r"<\d+>", said)) == sorted(values)
        assert not ENGLISH.search(re.sub(r"`[^`]+`", "", said)), english


def test_english_stays_as_it_is() -> None:
    assert in_language("The file is empty; record the trace again.").startswith("The file is")


@pytest.mark.parametrize(
    ("english", "said"),
    [
        ("1,234 damaged packets were skipped.", "跳过了 1,234 个损坏的数据包。"),
        ("5 of 9 launches have no operation: GPU events are missing.",
         "9 次启动中有 5 次没有对应的操作：缺少 GPU 事件。"),
        ("a word that nobody knows: at all", "a word that nobody knows: at all"),
        ("{0} is a folder; open one trace file inside it.",
         "{0} 是文件夹；请打开其中的一个轨迹文件。"),
        ("rank 3: 5 events without a usable time were skipped.",
         "rank 3：跳过了 5 个没有可用时间的事件。"),
        ("a.json: b.json: The file is empty; record the trace again.",
         "a.json：b.json：文件是空的；请重新录制轨迹。"),
        ("no cost model can be fitted: no operation can be traced back to its launch.",
         "无法拟合代价模型：没有一个操作能对应到它的启动。"),
        ("'forward' of batch 3, or what came before it, failed on the GPU: out of memory",
         "GPU 报错（第 3 批的 'forward'，或它之前的工作）：out of memory"),
        ("request '{1} <b>' comes after '{}', which is not listed before it",
         "请求 '{1} <b>' 排在 '{}' 之后，而后者没有列在它前面"),
        ("", ""), (": ", ": "), (" must be ", " must be "),
    ],
)  # fmt: skip
def test_values_stand_in_the_sentence_as_they_are(english: str, said: str, chinese: None) -> None:
    assert in_language(english) == said


def test_a_long_hostile_text_is_looked_up_in_no_time(chinese: None) -> None:
    for text in ("no cost model can be fitted: ", " must lie between ", ": "):
        assert len(in_language(text * 9_999)) > 9_999


def refusals() -> list[str]:
    """What engine says of what cannot be used, by trying it."""
    said = []
    for make, documents in (
        (workload_from_dict, ([], {"x": 1}, {"batch": "a"}, {"batch": 0}, {"requests": 1},
                              {"requests": [1]}, {"arrivals": "x"}, {"grammar": "x"},
                              {"requests": [{"prompt": "a", "max_new_tokens": 0}]},
                              {"requests": [{"prompt": "\0\1\2", "max_new_tokens": 1}]},
                              {"requests": [{"prompt": "a", "max_new_tokens": 9, "after": "b"}]})),
        (cost_from_dict, ([], {"x": 1}, {"about": 1}, {"kernel_ns": 1}, {"kernel_ns": {"x": 1}},
                          {"host_ns": {"schedule": -1}})),
        (lambda change: make_fork(5, change), ({"x": "1"}, {"h2d": "x"}, {"wait_h2d": "x"},
                                               *({name: "x"} for name in FIXED))),
    ):  # fmt: skip
        for document in documents:
            with pytest.raises(ValueError) as raised:
                make(document)  # type: ignore[operator]
            said.append(str(raised.value))
    return said


def test_what_the_engine_refuses_is_refused_in_the_other_language(chinese: None) -> None:
    for sentence in refusals():
        said = in_language(sentence)
        assert said != sentence and not ENGLISH.search(said), sentence
