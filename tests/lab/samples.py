"""Small runs and traces that the lab's tests share; each is made once."""

from functools import cache

from engine import configure, execute
from lab.study import Study
from traces import Trace

STEPS = 12
HOSTILE = "<b>x</b> $a$ [l](http://e.x) `c` :red[r] *i* &amp; \u202e%{y}\n# h"
"""A span name that tries every kind of markup."""


@cache
def study(mode: str = "async", compute: bool = False, **toggles: str) -> Study:
    """A short run of a mode with toggles changed."""
    return Study(execute(configure(mode, set=toggles, steps=STEPS, compute=compute)))


def profiler_trace(name: str = "gemm", spans: int = 1) -> Trace:
    """`spans` kernels of 100 µs with 50 µs between them, each launched by a nested host call."""
    rows = []
    for number in range(spans):
        at = number * 150_000
        host = {"track": "python · thread 7", "device": -1, "tid": "7", "pid": "7"}
        rows += [
            {"ts_ns": at, "dur_ns": 90_000, "kind": "python", "name": f"frame {name}", **host},
            {"ts_ns": at, "dur_ns": 40_000, "kind": "op", "name": f"aten::{name}", **host},
            {"ts_ns": at + 10_000, "dur_ns": 5_000, "kind": "launch", "name": "cudaLaunchKernel",
             "correlation": number, **host},
            {"ts_ns": at + 20_000, "dur_ns": 100_000, "kind": "kernel", "name": name, "device": 0,
             "stream": 7, "track": "GPU 0 · stream 7", "correlation": number,
             "args": {name: name}},
        ]  # fmt: skip
    return Trace.from_rows(rows, meta={"format": f"made by {name}", "warnings": [name]})
