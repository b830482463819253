"""Files of every format, damaged at random, and what must hold of each.

    python -m tests.traces.readers.fuzzing [COUNT] [FIRST]     COUNT damaged files (default 5,000)

Each file has a number, and the number alone says what it is: one that fails is tried again with
`python -m tests.traces.readers.fuzzing 1 NUMBER`.
"""

import gzip
import io
import json
import random
import resource
import sys
import tempfile
import time
import zipfile
from collections import Counter
from collections.abc import Callable
from functools import cache
from pathlib import Path

from tests.traces.readers.test_formats import examples
from tests.traces.test_gap_rules import host, kernel, launch
from traces import TraceError, find_gaps, open_trace, summarize

COUNT = 5_000
MAX_BYTES = 1 << 20
"""The cap on the unpacked size that every file is opened with."""

MOST_MEMORY_MIB = 160
"""So much may the readings of all files together add to what the process takes."""

MOST_SECONDS = 20
"""No single file may take as long, on a machine however busy."""

WORDS = (
    b"", b"\x00", b'"', b"\\", b"{", b"}", b"[", b"]", b",", b"nan", b"-Infinity", b"\xff", b"-1",
    b"9e99", b"9" * 20, b"9" * 400, b"1e-400",
    b'"ts":1e400,', b'"dur":-5,', b"\r\n", b"\xed\xa0\x80",
)  # fmt: skip
NAMES = (
    "<script>alert(1)</script>", "../../etc/passwd", "'; DROP TABLE spans; --", "\u202egnp", "=1+1",
    "%s%n{0}{self}", "a" * 70_000, "\x00\x07", "\ud800", "名" * 50, "$x^2$ `code` [a](b)", "",
)  # fmt: skip


@cache
def originals() -> dict[str, bytes]:
    """An undamaged file of every format, plain and packed."""
    with tempfile.TemporaryDirectory() as folder:
        found = dict(examples(Path(folder)))
    found["Kineto"] = json.dumps(kineto(12), indent=1).encode()
    found["Chrome phases"] = json.dumps({"traceEvents": phases(8)}).encode()
    packed = {}
    for name in ("Kineto", "Chrome trace JSON, ours", "Perfetto protobuf"):
        packed[f"{name}, gzip"] = gzip.compress(found[name])
        packed[f"{name}, zip"] = zipped(found[name])
    return found | packed


def kineto(steps: int) -> dict[str, object]:
    events = [host("aten::item", 0, 90)]
    for n in range(steps):
        events += [launch(50 * n, n + 1), kernel(50 * n + 10, 50 * n + 30, n + 1)]
    return {"schemaVersion": 1, "traceEvents": events, "traceName": "x"}


def phases(count: int) -> list[dict[str, object]]:
    marks = [
        {"ph": "B", "name": "b"},
        {"ph": "X", "name": "x", "dur": 3, "args": {"a": [1, {"b": 2}]}},
        {"ph": "E"},
        {"ph": "i", "name": "i", "s": "t"},
        {"ph": "C", "name": "c", "args": {"v": 1}},
        {"ph": "b", "id": "1", "cat": "c", "name": "n"},
        {"ph": "e", "id": "1", "cat": "c"},
        {"ph": "s", "id": 1, "cat": "f", "name": "f"},
        {"ph": "f", "id": 1, "cat": "f", "name": "f"},
        {"ph": "M", "name": "thread_name", "args": {"name": "main"}},
    ]
    return [mark | {"ts": 10 * n + k, "pid": 1, "tid": n % 3} for n in range(count)
            for k, mark in enumerate(marks)]  # fmt: skip


def zipped(data: bytes) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("trace", data)
    return file.getvalue()


def splice(data: bytes, dice: random.Random) -> bytes:
    at = dice.randrange(len(data) + 1)
    return data[:at] + dice.choice(WORDS) + data[at + dice.choice([0, 1, 1, 5, 40]) :]


def flip(data: bytes, dice: random.Random) -> bytes:
    found = bytearray(data)
    for _ in range(dice.randint(1, 8)):
        if found:
            found[dice.randrange(len(found))] ^= 1 << dice.randrange(8)
    return bytes(found)


def cut(data: bytes, dice: random.Random) -> bytes:
    at = dice.randrange(len(data) + 1)
    return data[:at] if dice.random() < 0.7 else data[at:]


def swap(data: bytes, dice: random.Random) -> bytes:
    a, b, c = sorted(dice.randrange(len(data) + 1) for _ in range(3))
    return data[:a] + data[b:c] + data[a:b] + data[c:]


def repeat(data: bytes, dice: random.Random) -> bytes:
    a, b = sorted(dice.randrange(len(data) + 1) for _ in range(2))
    return data[:b] + data[a:b] * dice.choice([1, 1, 2, 9]) + data[b:]


def huge_number(data: bytes, dice: random.Random) -> bytes:
    digits = [at for at in range(len(data)) if 48 <= data[at] <= 57]
    at = dice.choice(digits or [0])
    return data[:at] + dice.choice([b"9" * 18, b"9" * 30, b"1" * 5_000]) + data[at + 1 :]


def nest(data: bytes, dice: random.Random) -> bytes:
    """A value that is a list of lists of lists, or objects in objects."""
    depth = dice.choice([50, 2_000, 100_000])
    opening, closing = dice.choice([(b"[", b"]"), (b'{"a":', b"}")])
    value = opening * depth + b"1" + closing * dice.choice([depth, depth, depth - 1])
    at = data.find(b":", dice.randrange(len(data) + 1)) + 1
    return data[:at] + value + b"," + data[at:]


def duplicate_key(data: bytes, dice: random.Random) -> bytes:
    at = data.find(b"{", dice.randrange(len(data) + 1)) + 1
    key = dice.choice([b'"ts":"x",', b'"ph":"X","ph":7,', b'"dur":{},', b'"args":[],', b'"cat":1,'])
    return data[:at] + key + data[at:]


def hostile_name(data: bytes, dice: random.Random) -> bytes:
    name = dice.choice(NAMES)
    text = json.dumps(name) if dice.random() < 0.5 else f'"{name}"'
    raw = text.encode("utf-8", "surrogatepass")
    at = data.find(b'"', dice.randrange(len(data) + 1))
    end = data.find(b'"', at + 1)
    return data[:at] + raw + data[end + 1 :] if 0 <= at < end else splice(data, dice)


DAMAGES: tuple[Callable[[bytes, random.Random], bytes], ...] = (
    splice, flip, cut, swap, repeat, huge_number, nest, duplicate_key, hostile_name,
)  # fmt: skip


def damaged(number: int) -> tuple[str, bytes]:
    """File `number`: what it was and what was done to it, and its bytes."""
    dice = random.Random(number)
    names = sorted(originals())
    name = names[number % len(names)]
    data = originals()[name]
    done = []
    for _ in range(dice.choice([1, 1, 1, 2, 4])):
        change = dice.choice(DAMAGES)
        data = change(data, dice)[: 4 * MAX_BYTES]
        done.append(change.__name__)
    return f"{name}: {', '.join(done)}", data


def one_event_damaged(number: int) -> tuple[list[str], bytes]:
    """A file of many events, of which one is damaged: the names of the others, and its bytes."""
    dice = random.Random(number)
    events = [launch(10 * n, n) | {"name": f"event {n}"} for n in range(200)]
    lines = [json.dumps(event).encode() for event in events]
    at = dice.randrange(len(lines))
    lines[at] = dice.choice(DAMAGES)(lines[at], dice)
    others = [str(event["name"]) for event in events if event is not events[at]]
    return others, b'{"traceEvents": [\n' + b",\n".join(lines) + b"\n]}"


def held(number: int) -> str:
    """Open file `number`: "opened" or "refused". Raises AssertionError, or whatever the reader
    does, where it is at fault."""
    began = time.process_time()
    told, data = damaged(number)
    try:
        trace = open_trace(data, max_bytes=MAX_BYTES)
    except TraceError as refusal:
        assert str(refusal) and "\n" not in str(refusal), told
        return "refused"
    json.dumps(summarize(trace))
    for gap in find_gaps(trace):
        assert gap.ns == sum(part.ns for part in gap.parts) > 0, told
    assert time.process_time() - began < MOST_SECONDS, told
    return "opened"


def memory_mib() -> float:
    """The most memory this process has taken so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main(count: int = COUNT, first: int = 0) -> int:
    """Try the files; the exit code is 1 if one is at fault."""
    before, outcomes, faults = 0.0, Counter[str](), 0
    for number in range(first, first + count):
        try:
            outcomes[held(number)] += 1
        except Exception as error:  # noqa: BLE001 - any is a fault to tell
            faults += 1
            print(f"{number} {damaged(number)[0]}: {type(error).__name__}: {str(error)[:200]}")
        before = before or memory_mib()
    print(dict(outcomes), f"{faults} faults, memory grew by {memory_mib() - before:.0f} MiB")
    return int(faults > 0)


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
