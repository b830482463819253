"""No text makes a reader search the same bytes again and again: four times as long a text costs
four times as much, not sixteen."""

import importlib
import json
import pkgutil
import re
import time

import pytest

import traces.readers
from traces.readers import refusals
from traces.readers.reader import open_trace
from traces.schema import TraceError

ONLY_AT_THE_START = {"GAP", "ROOT", "NEXT_ARRAY", "OPERATOR"}
"""Patterns that are matched where something begins, never searched for."""

LEAST_S = 0.01
"""Shorter times tell nothing; what grows with the square takes far longer."""

BEGINNINGS = ("", '"', "}", "{", "]", "a", "[", "Memcpy", "\n", 'a"exporter":"')
UNITS = (
    '"', '\\"', "\\", "{", "}", "[", "]", ",", " ", "\n", "} ", "},", "}\n", "], ", "\n ", "a", "1",
    "_", "(", "nan(", "-inf", "a_", "Memcpy", "MemcpyAsyn", "co", "oc", "a-to", "1.", "1,", "\t",
    '{"ph" ', '"traceEvents" ', '"exporter":"', "GPU", "HOST_TO_", ", op_id = ", "\\u", "[a",
)  # fmt: skip


def _patterns():
    for found in pkgutil.iter_modules(traces.readers.__path__):
        module = importlib.import_module(f"traces.readers.{found.name}")
        for name, value in vars(module).items():
            if isinstance(value, re.Pattern):
                yield pytest.param(name, value, id=f"{found.name}.{name}")
    for number, (pattern, _) in enumerate(refusals.JSON_OTHERS):
        yield pytest.param("", re.compile(pattern, re.DOTALL), id=f"refusals.{number}")


def _cost(work, *args):
    costs = []
    for _ in range(3):
        start = time.process_time()
        work(*args)
        costs.append(time.process_time() - start)
        if costs[-1] < LEAST_S:
            break
    return min(costs)


def _grows_no_faster_than_the_text(work, short, long):
    return _cost(work, long) < 8 * max(_cost(work, short), LEAST_S)


@pytest.mark.parametrize(("name", "pattern"), list(_patterns()))
def test_no_pattern_of_the_readers_costs_the_square_of_a_text(name, pattern):
    def search(text):
        text = text.encode() if isinstance(pattern.pattern, bytes) else text
        if name in ONLY_AT_THE_START:
            pattern.match(text)
        else:
            for _ in pattern.finditer(text):
                pass
        pattern.fullmatch(text)

    for beginning in BEGINNINGS:
        for unit in UNITS:
            short, long = (beginning + unit * n for n in (4_000, 16_000))
            assert _grows_no_faster_than_the_text(search, short, long), (beginning, unit)


KERNEL = '{"ph":"X","name":"k","cat":"kernel","pid":1,"tid":1,"ts":%d,"dur":1},'
FILES = {
    "quotes": lambda n: '{"traceEvents":[{"ph":"X","name":"' + '\\"' * n,
    "cut in args": lambda n: (
        '{"traceEvents":['
        + "".join(KERNEL % i for i in range(100))
        + '{"ph":"X","args":{"a":'
        + json.dumps(json.dumps([{"a": 1, "b": "c"}] * (n // 5)))[:-60]
    ),
    "rocprofv3": lambda n: (
        '{"rocprofiler-sdk-tool":[{"buffer_records":{"kernel_dispatch":[{"a":"' + '\\"' * n
    ),
    "braces": lambda n: '{"traceEvents":[' + '{"a":' * n,
    "ends": lambda n: '{"traceEvents":[{"ph":}\n' + '{"ph":"X"}],"' * n,
    "documents": lambda n: (
        '{"traceEvents":[' + '{"ph":},' * 5 + '{"ph":"X"}' + '],"k":[\n{"ph":"X"}' * (n // 2) + "x"
    ),
    "lanes of a device": lambda n: json.dumps(
        [{"ph": "M", "name": "process_name", "pid": 1, "args": {"name": "/device:GPU:0"}}]
        + [{"ph": "X", "name": "a", "pid": 1, "tid": i, "ts": i, "dur": 1} for i in range(n // 4)]
    ),
    "column": lambda n: "name,start_ns,duration_ns,a" + " " * n + "!\na,1,1,\n",
}


@pytest.mark.parametrize("kind", FILES)
def test_no_file_costs_the_square_of_its_size(kind):
    def read(text):
        try:
            open_trace(text.encode())
        except TraceError:
            pass

    short, long = (FILES[kind](n) for n in (4_000, 16_000))
    assert _grows_no_faster_than_the_text(read, short, long)
