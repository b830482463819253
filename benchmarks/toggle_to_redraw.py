"""How long the server works from a switched toggle, or a moved slider, to the new page.

    python benchmarks/toggle_to_redraw.py

Drives the Timeline page with Streamlit's AppTest (the whole page script, its widgets, and the
figures as JSON; no network, no browser), at the default workload. Every toggle is set to each
of its wrong values, one at a time, for the first time, so that no run comes from a cache; the
baselines do, as they do for a reader. Prints the median and the 95th percentile, the slowest,
and the time of a page whose run is cached. Then the same for the sliders of the Home page.
Torch gets one thread, as in the tests: its kernels are small here.
"""

import logging
import os
import statistics
import sys
import time
from pathlib import Path
from typing import NamedTuple

os.environ.setdefault("OMP_NUM_THREADS", "1")

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from streamlit.testing.v1 import AppTest  # noqa: E402

from engine.mechanisms.table import TABLE, Info  # noqa: E402

PROMISED_MS = 500
HOME_PROMISED_MS = 300


class Times(NamedTuple):
    """Milliseconds by the clock, and of processor time: the second is the server's work, also
    on a machine that does something else besides."""

    clock: float
    work: float


def timed_run(app: AppTest) -> Times:
    """Run the page once."""
    clock, work = time.perf_counter(), time.process_time()
    app.run(timeout=60)
    return Times(1000 * (time.perf_counter() - clock), 1000 * (time.process_time() - work))


def set_value(app: AppTest, info: Info, value: str) -> Times:
    """Set one toggle and run the page; ms."""
    app.session_state[info.name] = int(value) if info.is_number else value
    elapsed_ms = timed_run(app)
    if app.exception:
        raise SystemExit(f"{info.name}={value}: {app.exception[0].message}")
    return elapsed_ms


def measure_toggles() -> float:
    """Every wrong value of every toggle; prints, and returns the median of the work (ms)."""
    app = AppTest.from_file(str(ROOT / "app.py"))
    app.switch_page("lab/pages/timeline.py").run(timeout=120)
    fresh: dict[str, Times] = {}
    cached: list[Times] = []
    for info in TABLE:
        for value in info.values:
            if value != info.correct:
                fresh[f"{info.name}={value}"] = set_value(app, info, value)
        cached.append(set_value(app, info, info.correct))
    slowest = max(fresh, key=lambda name: fresh[name].work)
    median = report(f"{len(fresh)} toggles by AppTest, new run each", list(fresh.values()))
    print(f"  slowest {slowest} {fresh[slowest].work:.0f} ms of work")
    report("back to a cached run", cached)
    return median


def measure_sliders() -> float:
    """Twenty new values of the CPU slider; prints, and returns the median of the work (ms)."""
    app = AppTest.from_file(str(ROOT / "app.py")).run(timeout=60)
    times = []
    for number in range(20):
        app.slider(key="cpu").set_value(1.0 + 2 * number)
        times.append(timed_run(app))
    return report("Home's CPU slider by AppTest, new runs each", times)


def report(what: str, times: list[Times]) -> float:
    """Print medians and 95th percentiles; returns the median of the work (ms)."""
    print(what)
    medians: list[float] = []
    for name, values in zip(Times._fields, zip(*times, strict=True), strict=True):
        ordered = sorted(values)
        medians.append(statistics.median(ordered))
        print(
            f"  {name}: median {medians[-1]:.0f} ms, p95 {ordered[int(0.95 * len(ordered))]:.0f} ms"
        )
    return medians[1]


def main() -> int:
    """Measure and print; returns 1 where a promise is not kept."""
    logging.disable(logging.WARNING)
    kept = measure_toggles() <= PROMISED_MS
    return int(not (measure_sliders() <= HOME_PROMISED_MS and kept))


if __name__ == "__main__":
    sys.exit(main())
