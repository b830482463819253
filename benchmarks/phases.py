"""How fast a generic Chrome trace is read, phase by phase.

    python -m benchmarks.phases [COUNT]

Writes a file of COUNT events (default 200,000) of each sort, with args and threads as programs have
them, and reads each in a process of its own: all come in columns, so none should be much slower
than the complete events. Two series an event make a counter take longer.

On one core, while all but complete events were still read one by one, and since they are not:

    complete       258,000   373,000 events a second of processor time
    nested         118,000   382,000
    asynchronous   126,000   416,000
    instant        193,000   507,000
    counter        122,000   180,000
    mixed          125,000   307,000
"""

import argparse
import json
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from benchmarks.load import OURS, measured

Event = dict[str, Any]


def args(n: int) -> Event:
    """Such as a browser writes."""
    return {"url": f"https://x/{n}", "frame": n % 7, "data": {"a": [1, 2, n]}}


def complete(n: int) -> Event:
    """A span of one event."""
    place = {"pid": 3, "tid": n % 4, "name": f"work {n % 50}", "cat": "own"}
    return {"ph": "X", "ts": n * 1.5, "dur": 1.2, "args": args(n)} | place


def nested(n: int) -> Event:
    """A call of four levels: four beginnings, four ends."""
    begins = n % 8 < 4
    name = {"name": f"level {n % 4 if begins else 3 - n % 4}"}
    more = {"args": args(n), "cat": "own"} if begins else {}
    return {"ph": "B" if begins else "E", "ts": n, "pid": 3, "tid": 1} | name | more


def asynchronous(n: int) -> Event:
    """Requests that overlap each other: each begins three events before it ends."""
    begins = n % 2 == 0
    number = n // 2 if begins else max(n // 2 - 1, 0)
    return {"ph": "be"[n % 2], "id": number, "cat": "request", "name": "r", "ts": n, "pid": 3}


def instant(n: int) -> Event:
    """A mark."""
    place = {"pid": 3, "tid": 1, "name": f"work {n % 50}", "cat": "own"}
    return {"ph": "i", "ts": n, "s": "t", "args": args(n)} | place


def counter(n: int) -> Event:
    """Two series."""
    return {"ph": "C", "name": f"mem {n % 5}", "ts": n, "pid": 3, "args": {"a": n, "b": n * 2.5}}


SORTS: tuple[Callable[[int], Event], ...] = (complete, nested, asynchronous, instant, counter)


def mixed(count: int) -> Iterator[Event]:
    """Events of every sort in turn."""
    for n in range(count):
        yield SORTS[n % len(SORTS)](n // len(SORTS))


def line(name: str, events: Iterator[Event], folder: Path) -> str:
    """One reading as text."""
    path = folder / "trace.json"
    with path.open("w") as file:
        file.write('{"traceEvents":[\n')
        file.write(",\n".join(map(json.dumps, events)))
        file.write("\n]}")
    found = measured(sys.executable, OURS, str(path))
    rate = found["events"] / found["cpu_s"]
    return f"{name:14} {rate:10,.0f} events a second of processor time, peak {found['MiB']:.0f} MiB"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.phases", description=__doc__)
    parser.add_argument("count", nargs="?", type=int, default=200_000)
    count = parser.parse_args().count
    with tempfile.TemporaryDirectory() as folder:
        for sort in SORTS:
            print(line(sort.__name__, map(sort, range(count)), Path(folder)), flush=True)
        print(line("mixed", mixed(count), Path(folder)))


if __name__ == "__main__":
    main()
