"""What the engine and the traces say in English, another language says, too: all of it, and
nothing that they no longer say."""

import ast
import copy
import inspect
import pickle
import re

import msgspec
import pytest

from engine import configure, execute, loop
from engine.device.cost import BESIDE
from engine.device.costs import COSTS
from engine.mechanisms.table import TABLE
from engine.mechanisms.words import RACES, in_words
from engine.modes.table import MODES
from engine.play import LEVELS
from engine.play.level import HOST_WORK
from engine.results import service
from engine.said import PATTERNS, Said
from engine.workloads.presets import WORKLOADS
from lab.catalogue import LANGUAGE, LANGUAGES, texts
from lab.glossary import key_of
from lab.picture.hover import worded
from traces import findings, gap, gap_rules, gap_walk, list_samples, whatif
from traces.finding_rules import RULES
from traces.schema import KINDS

OTHERS = [language for language in LANGUAGES if language != LANGUAGE]

RESOURCES = (
    "host inputs", "host outputs", "device inputs", "device outputs", "kv blocks", "graph pool",
    "temporaries", "activations", "carry ring", "drafts", "host kv", "host scratch",
)  # fmt: skip
FIX_WORDS = {
    "verb": ("reads", "overwrites"),
    "actor": ("the copy", "the first kernel", "the host"),
    "act": ("rewrites its source", "reads it", "overwrites it", "launching the kernels",
            "enqueueing the copy"),
    "thing": ("host slot", "memory"),
}  # fmt: skip
"""Words of the lines that would mend a race."""
TWO_WORDS = re.compile(r"\b[a-z]+ [a-z]+\b")
"""In what is told of other programs: more than their names and the numbers of their issues."""
SAMPLE_PARTS = ("title", "about")
NO_CAUSES = ("wait", "enumerate(DataLoader)", gap.CANNOT_TELL)
"""A host's wait is told by what it waits for."""


def constants(module):
    """The sentences that a module keeps as constants."""
    kept = [value for name, value in vars(module).items() if re.fullmatch(r"[A-Z_]+", name)]
    tables = [value for value in kept if isinstance(value, dict)]
    words = [word for table in tables for word in table.values()]
    return {word for word in [*kept, *words] if isinstance(word, str)}


def strings_passed(module, name):
    """The first arguments of calls `….name("…")` in a module."""
    calls = [n for n in ast.walk(ast.parse(inspect.getsource(module))) if isinstance(n, ast.Call)]
    named = [call for call in calls if getattr(call.func, "attr", "") == name and call.args]
    return {call.args[0].value for call in named if isinstance(call.args[0], ast.Constant)}


def causes():
    """The host's own work, of the loop and a player, what the scenes' faults are called, and the
    rules of traces."""
    found = strings_passed(loop, "host") | strings_passed(loop, "finish_all")
    found |= {mode.cause for mode in MODES.values()} - {""} | {BESIDE}
    for module in (gap, gap_rules, gap_walk):
        found |= constants(module)
    return (found | set(HOST_WORK.values())) - set(NO_CAUSES)


def finding_rules():
    """Findings by name, with their advice: of gaps, and of busy time."""
    known = {rule.name: rule.advice for rule in RULES}
    for kind in vars(findings).values():
        if isinstance(kind, findings.Kind):
            known[kind.name] = kind.advice
    return known


def wanted():
    """Every key that a language besides English has of the engine's words, with the English."""
    words = {f"mode.{name}": mode.summary for name, mode in MODES.items()}
    words |= {f"group.{one.group}": one.group for one in [*MODES.values(), *TABLE]}
    words |= {f"workload.{name}": workload.about for name, workload in WORKLOADS.items()}
    words |= {f"cost.{name}": cost.about for name, cost in COSTS.items()}
    for info in TABLE:
        words[f"mechanism.{info.name}.protects"] = info.protects
        words[f"mechanism.{info.name}.wrong"] = in_words(info.seen_when_wrong)
        if TWO_WORDS.search(info.in_the_wild):
            words[f"mechanism.{info.name}.wild"] = info.in_the_wild
    for name, advice in finding_rules().items():
        words |= {f"rule.{key_of(name)}.name": name, f"rule.{key_of(name)}.advice": advice}
    words |= {f"cause.{cause}": cause for cause in causes()}
    words |= {f"said.{code}": pattern for code, pattern in PATTERNS.items()}
    for level in LEVELS.values():
        said = ("title", "teaches", "story", "goal_text", "win")
        words |= {f"level.{level.id}.{part}": getattr(level, part) for part in said}
        words |= {f"level.{level.id}.hint_{n}": hint for n, hint in enumerate(level.hints, 1)}
    words |= {f"race.{race}": race for race in RACES.values()}
    words |= {f"resource.{resource}": resource for resource in RESOURCES}
    for sample in list_samples():
        words |= {f"sample.{sample.code}.{part}": getattr(sample, part) for part in SAMPLE_PARTS}
    words |= {f"kind.{kind}": kind for kind in KINDS}
    assumed = enumerate(whatif.EVERY_ASSUMPTION, 1)
    words |= {f"assumed.{number}": line for number, line in assumed}
    for name, known in FIX_WORDS.items():
        words |= {f"{name}.{word}": word for word in known}
    counters = {"tokens in flight", "KV blocks in use", service.QUEUE, *service.COPIED.values()}
    words |= {f"counter.{name}": name for name in counters}
    return words | {
        f"{key}": key for key in ("stream.the host", "stream.compute", "side.host", "side.device")
    }


@pytest.mark.parametrize("language", OTHERS)
def test_a_language_says_all_that_the_engine_says_and_nothing_else(language):
    said, english = texts(language).keys() - texts().keys(), wanted()
    assert english.keys() - said == set() and said - english.keys() == set()


@pytest.mark.parametrize("language", OTHERS)
def test_sentences_keep_what_they_are_filled_with_and_the_issues_numbers(language):
    fields = re.compile(r"\{\w+\}")
    for code, pattern in PATTERNS.items():
        said = texts(language)[f"said.{code}"]
        assert sorted(fields.findall(said)) == sorted(fields.findall(pattern)), code


def test_the_resources_and_counters_of_a_run_are_known():
    result = execute(configure("graph-replay", steps=4, set={"output_memory": "temporary"}))
    assert {buffer.resource for buffer in result.device.log.buffers} <= set(RESOURCES)
    named = set(result.trace.counters["name"])
    assert {f"counter.{name}" for name in named} <= wanted().keys()


@pytest.mark.parametrize(
    "name", ["depth-over-slots", "record-too-early", "cancel-twice", "kernel-error-retry"]
)
def test_what_mends_a_race_and_what_went_wrong_is_said_in_words_that_are_known(name, monkeypatch):
    result = execute(configure(name, compute=False))
    sentences = [*result.invariants, *result.errors, *(h.fix.text for h in result.hazards)]
    monkeypatch.setattr("lab.catalogue._asked", [lambda: "zh"])
    assert sentences
    for said in sentences:
        assert re.search("[\u4e00-\u9fff]", worded(said))
        words = {f"{key}.{word}" for key, word in said.values.items() if key in FIX_WORDS}
        assert words <= texts("zh").keys()


def test_chinese_values_of_toggles_stay_as_they_are_set():
    """A sentence names the values by which a switch is set, and each of them exists."""
    for info in TABLE:
        text = texts("zh")[f"mechanism.{info.name}.protects"]
        english = re.findall(r"([a-z0-9-]+): ", info.protects)
        assert [v for v in english if v in info.values and v not in text] == [], info.name


def test_a_sentence_says_in_english_what_it_was_and_in_another_language_the_same(monkeypatch):
    said = Said("seen_hazards", race="read after write", resource="host inputs", pairs="12")
    assert said == worded(said) == "a hazard: read after write on host inputs, 12 pairs"
    monkeypatch.setattr("lab.catalogue._asked", [lambda: "zh"])
    assert worded(said) == "竞态：主机输入上的写后读（RAW），12 对"
    assert worded("a plain sentence") == "a plain sentence"


def test_a_sentence_outlives_a_copy_and_another_process_and_goes_to_json_as_text():
    said = Said("place_batch", name="forward", step=3, stream="compute")
    for other in (copy.deepcopy(said), pickle.loads(pickle.dumps(said))):
        assert (other, other.code, other.values) == (said, said.code, said.values)
    hazard = execute(configure("no-wait-h2d", steps=3)).hazards[0]
    assert isinstance(hazard.first, Said)
    assert msgspec.json.decode(msgspec.json.encode(hazard.to_json()))["first"] == hazard.first
