"""Mutated files: whatever is done to them, they open or are refused, and sums still hold."""

import json
import random

import pytest

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
