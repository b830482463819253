"""Mutated files: whatever is done to them, they open or are refused, and sums still hold."""

import json
import random

import pytest

from tests.traces.readers.test_formats import examples
from tests.traces.test_gap_rules import host, kernel, launch
from tests.traces.test_gap_walk import sync_run
from traces import TraceError, find_gaps, open_trace, summarize, trace_bytes

FOREIGN = json.dumps(
    {
        "schemaVersion": 1,
        "traceEvents": [
            event
            for n in range(12)
            for event in (launch(50 * n, n + 1), kernel(50 * n + 10, 50 * n + 30, n + 1))
        ]
        + [host("aten::item", 0, 90), {"ph": "B", "name": "b", "ts": 1}, {"ph": "E", "ts": 5}]
        + [{"ph": "C", "name": "c", "ts": 1, "args": {"v": 1}}, {"ph": "s", "id": 1, "ts": 2}],
    }
).encode()
SEEDS = {
    "foreign": FOREIGN,
    "foreign array": FOREIGN[FOREIGN.index(b"[") : -1],
    "dump": trace_bytes(sync_run().trace(), compressed=False),
    "packed dump": trace_bytes(sync_run().trace()),
}
SPLICES = [
    b"",
    b"\x00",
    b'"',
    b"\\",
    b"{",
    b"}",
    b"[",
    b"]",
    b",",
    b"nan",
    b"\xff",
    b"-1",
    b"9e99",
    b"9" * 20,
]


def mutated(data: bytes, dice: random.Random) -> bytes:
    for _ in range(dice.randint(1, 4)):
        at = dice.randrange(len(data) + 1)
        upto = min(len(data), at + dice.choice([0, 1, 1, 5, 40]))
        data = data[:at] + dice.choice(SPLICES) + data[upto:]
        if dice.random() < 0.1:
            data = data[: dice.randrange(len(data) + 1)]
    return data


def flipped(data: bytes, dice: random.Random) -> bytes:
    """A few bytes changed, and sometimes the end cut off: for formats that are no text."""
    found = bytearray(data)
    for _ in range(dice.randint(1, 6)):
        found[dice.randrange(len(found))] = dice.randrange(256)
    return bytes(found[: dice.randrange(len(found))] if dice.random() < 0.2 else found)


def test_no_format_raises_anything_but_a_refusal(tmp_path):
    for name, data in examples(tmp_path).items():
        dice = random.Random(name)
        for _ in range(40):
            change = flipped if dice.random() < 0.5 else mutated
            try:
                json.dumps(summarize(open_trace(change(data, dice))))
            except TraceError as refusal:
                assert str(refusal).count("\n") == 0


@pytest.mark.parametrize("name", SEEDS)
def test_no_mutation_gets_past_the_reader_with_anything_but_a_trace_or_a_refusal(name):
    dice = random.Random(name)
    opened = 0
    for _ in range(100):
        try:
            trace = open_trace(mutated(SEEDS[name], dice))
        except TraceError as refusal:
            assert str(refusal).count("\n") == 0
            continue
        opened += 1
        json.dumps(summarize(trace))
        assert all(gap.ns == sum(part.ns for part in gap.parts) for gap in find_gaps(trace))
    assert opened > 3
