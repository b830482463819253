"""How long the server works from a switched toggle to the new page.

    python benchmarks/toggle_to_redraw.py

Drives the Timeline page with Streamlit's AppTest (the whole page script, its widgets, and the
figures as JSON; no network, no browser), at the default workload. Every toggle is set to each
of its wrong values, one at a time, for the first time, so that no run comes from a cache; the
baselines do, as they do for a reader. Prints the median and the 95th percentile, the slowest,
and the time of a page whose run is cached.
"""

import logging
import statistics
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from streamlit.testing.v1 import AppTest  # noqa: E402

from engine.mechanisms import TABLE, Info  # noqa: E402

PROMISED_MS = 500


def set_value(app: AppTest, info: Info, value: str) -> float:
    """Set one toggle and run the page; ms."""
    app.session_state[info.name] = int(value) if info.is_number else value
    start = time.perf_counter()
    app.run(timeout=60)
    elapsed_ms = 1000 * (time.perf_counter() - start)
    if app.exception:
        raise SystemExit(f"{info.name}={value}: {app.exception[0].message}")
    return elapsed_ms


def main() -> int:
    """Measure and print; returns 1 where the promise is not kept."""
    logging.disable(logging.WARNING)
    app = AppTest.from_file(str(ROOT / "app.py"))
    app.switch_page("lab/pages/timeline.py").run(timeout=120)
    fresh: dict[str, float] = {}
    cached: list[float] = []
    for info in TABLE:
        for value in info.values:
            if value != info.correct:
                fresh[f"{info.name}={value}"] = set_value(app, info, value)
        cached.append(set_value(app, info, info.correct))
    times = sorted(fresh.values())
    median = statistics.median(times)
    slowest = max(fresh, key=lambda name: fresh[name])
    print(f"{len(times)} toggles by AppTest, new run each: median {median:.0f} ms, ", end="")
    print(f"p95 {times[int(0.95 * len(times))]:.0f} ms, slowest {slowest} {fresh[slowest]:.0f} ms")
    print(f"back to a cached run: median {statistics.median(cached):.0f} ms")
    return int(median > PROMISED_MS)


if __name__ == "__main__":
    sys.exit(main())
