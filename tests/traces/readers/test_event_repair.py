"""Damaged files: everything whole is kept, what is lost is counted and told."""

import gzip
import json
import time

import pytest

from traces import open_trace
from traces.readers import chrome_text, event_repair

EVENTS = [
    {"ph": "X", "name": f"e{n}", "ts": n, "dur": 1, "pid": 1, "tid": 1, "args": {"n": [{"m": n}]}}
    for n in range(50)
]
PRETTY = json.dumps({"schemaVersion": 1, "traceEvents": EVENTS, "traceName": "t"}, indent=1)
COMPACT = json.dumps({"schemaVersion": 1, "traceEvents": EVENTS, "traceName": "t"})
ARRAY = json.dumps(EVENTS)


def names(text):
    return open_trace(text if isinstance(text, bytes) else text.encode()).spans["name"].tolist()


ALL = [event["name"] for event in EVENTS]
WITHOUT_25 = [name for name in ALL if name != "e25"]


@pytest.mark.parametrize("text", [PRETTY, COMPACT, ARRAY])
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"e25"', '"e25'),
        ('"e25"', "e25"),
        ('"e25",', '"e25"'),
        ('"e25"', '"e25"\x00{'),
        ('"name": "e25"', '"name": ["e25"]'),
    ],
)
def test_an_event_beyond_repair_costs_only_itself(text, old, new):
    assert names(text.replace(old, new)) == WITHOUT_25
    salvage = open_trace(text.replace(old, new).encode()).meta["salvage"]
    assert salvage["skipped"] >= 1
    assert salvage["kept"] == 49
    assert 0 <= text.index('"e25"') - salvage["at_bytes"][0] < 30


@pytest.mark.parametrize("text", [PRETTY, COMPACT, ARRAY])
@pytest.mark.parametrize(
    ("old", "new", "name"),
    [
        ('"e25"', '"C:\\e25"', "C:\\e25"),
        ('"e25"', '"C:\\"', "C:\\"),
        ('"e25"', '"e\x0125"', "e\N{REPLACEMENT CHARACTER}25"),
        ('"e25"', '"e25", "x": NaN', "e25"),
        ('"e25"', '"e25", "x": -inf', "e25"),
        ('"e25"', '"e25", "x": [1,]', "e25"),
        ('"e25"', '"e\\ud83d25"', "e\N{REPLACEMENT CHARACTER}25"),
    ],
)
def test_characters_that_json_forbids_are_repaired(text, old, new, name):
    trace = open_trace(text.replace(old, new).encode())
    assert trace.spans["name"].tolist() == [n if n != "e25" else name for n in ALL]
    assert trace.meta["skipped"] == 0
    at = text.index('"e25"')
    at = text.rindex("{", 0, at)
    line = 1 + text.count("\n", 0, at)
    assert trace.meta["warnings"] == [
        f"1 events with invalid characters were repaired; the first at byte {at:,}, line {line:,}."
    ]
    assert trace.meta["salvage"] == {"kept": 50, "repaired": 1, "skipped": 0, "at_bytes": [at]}


def test_bytes_that_are_not_utf8_are_replaced():
    text = COMPACT.encode().replace(b'"e25"', b'"e\xff25"')
    assert names(text)[25] == "e\N{REPLACEMENT CHARACTER}25"


@pytest.mark.parametrize("text", [PRETTY, COMPACT])
def test_a_cut_off_object_keeps_all_events_before_the_cut_and_says_so(text):
    trace = open_trace(text[: text.index('"e40"')].encode())
    assert trace.spans["name"].tolist() == ALL[:40]
    assert "The file was cut off" in trace.meta["warnings"][0]


def test_a_cut_off_array_keeps_all_events_before_the_cut():
    assert names(ARRAY[: ARRAY.index('"e40"')]) == ALL[:40]
    assert names(ARRAY[:-1]) == ALL
    assert open_trace(ARRAY[:-1].encode()).meta["warnings"] == []


def test_a_cut_off_gzip_keeps_what_it_holds():
    noise = [{"ph": "X", "name": str(hash(n)), "ts": n * n % 1009} for n in range(5000)]
    packed = gzip.compress(json.dumps(noise).encode())
    trace = open_trace(packed[: len(packed) // 2])
    assert 1000 < len(trace.spans) < 4500
    assert any("gzip file was cut off" in warning for warning in trace.meta["warnings"])


@pytest.mark.parametrize("tail", ["},\n]", "},", "},\n  \n", "}]\x00\x00"])
def test_what_stands_behind_the_last_event_does_no_harm(tail):
    assert names(ARRAY.removesuffix("}]") + tail) == ALL


@pytest.mark.parametrize("text", [PRETTY, COMPACT, ARRAY])
def test_documents_one_after_the_other_are_all_shown(text):
    trace = open_trace((text + "\n" + text.replace('"e', '"f')).encode())
    assert sorted(trace.spans["name"]) == sorted(ALL + [f"f{n}" for n in range(50)])
    assert trace.meta["skipped"] == 0
    assert "2 documents" in trace.meta["warnings"][0]


def test_an_empty_event_and_a_trailing_comma_are_taken_silently():
    trace = open_trace(COMPACT.replace('}], "traceName"', '}, {}, ], "traceName"').encode())
    assert trace.spans["name"].tolist() == ALL
    assert trace.meta["warnings"] == []
    assert trace.meta["file"]["traceName"] == "t"


@pytest.mark.parametrize("text", [PRETTY, COMPACT, ARRAY])
def test_pieces_cut_anywhere_give_the_same_events(text, monkeypatch):
    for size in (1, 7, 100, 1000):
        monkeypatch.setattr(chrome_text, "PIECE_BYTES", size)
        assert names(text) == ALL


def test_of_a_file_with_a_fault_in_every_hundredth_event_all_others_are_kept():
    lines = [json.dumps(EVENTS[n % 50] | {"name": f"e{n}"}) for n in range(3000)]
    hurt = [line.replace('"e', "e", 1) if n % 100 == 5 else line for n, line in enumerate(lines)]
    found = names('{"traceEvents": [' + ",".join(hurt) + "]}")
    whole = {f"e{n}" for n in range(3000) if n % 100 != 5}
    assert len(whole & set(found)) >= 0.99 * len(whole)


@pytest.mark.parametrize(
    ("event", "fault", "kept"),
    [(b'{"tts":1,"ph":"X","name":"a","ts":1}', b',{"tts":NaN}', 20_000), (b"{}", b"}", 0)],
)
def test_events_with_an_unusual_first_key_cost_no_search_each(event, fault, kept):
    usual = b',{"ph":"X","name":"b","ts":1}'
    text = b'{"traceEvents":[' + b",".join([event] * 20_000) + usual + fault + b"]}"
    start = time.process_time()
    trace = open_trace(text)
    assert time.process_time() - start < 2
    assert len(trace.spans) == kept + 1


DAMAGES = {
    "brace": lambda n: f'{{"ph":"X","name":"k{n}","ts":{n},"dur":1,"args":{{"a":1}}',
    "quote": lambda n: f'{{"ph":"X","name":"k{n},"ts":{n},"dur":1,"args":{{"a":1}}}}',
    "value": lambda n: f'{{"ph":"X","name":"k{n}","ts":{n},"dur":,"args":{{"a":1}}}}',
    "nested": lambda n: '{"args":' * 5 + f'{{"ph":"X","name":"k{n}"',
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_the_search_for_braces_grows_with_the_damaged_events_not_with_their_square(
    damage, monkeypatch
):
    searched = 0
    search = event_repair.closing_brace

    def counted(text, at, until):
        nonlocal searched
        end = search(text, at, until)
        searched += (end if end > 0 else min(until, len(text))) - at
        return end

    monkeypatch.setattr(event_repair, "closing_brace", counted)
    good = json.dumps(EVENTS[0])
    texts = [DAMAGES[damage](n) for n in range(3000)]
    data = ("[" + ",\n".join([good, *texts, good]) + "]").encode()
    monkeypatch.setattr(event_repair, "VAIN_BYTES", 1 << 14)
    assert len(open_trace(data).spans) >= 1
    bound = (1 << 14) + event_repair.WINDOW_BYTES + 3 * len(data)
    assert searched <= bound + event_repair.LEAST_BYTES * len(texts)


def test_a_long_event_is_found_behind_many_damaged_ones():
    """As long as not nearly all are damaged: what is whole is kept whatever its length."""
    long = json.dumps({"ph": "X", "name": "long", "ts": 5, "dur": 1, "args": {"a": ["x" * 9000]}})
    good = json.dumps(EVENTS[0])
    parts = [DAMAGES["brace"](n) for n in range(20)] + [good] * 50
    data = ("[" + ",\n".join(parts + [long, *parts, long]) + "]").encode()
    assert open_trace(data).spans["name"].tolist().count("long") == 2
