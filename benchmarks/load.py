"""How long a trace takes to open, up to its busy and idle time, and how much memory that needs.

    python -m benchmarks.load FILE... [--hta PYTHON] [--repeat N]

Each reading has a process of its own. With --hta, the Python of an environment that holds
HolisticTraceAnalysis 0.5.0, that reads the same files in turn with this, and the ratios are
printed: times of one run are comparable, times of two are not.

1,001,678 events (290 MB), both in turn on two cores with nothing else to do: 1.8 s of processor
time and 205 MiB here, 24.7 s and 1,583 MiB there; 13 times faster, 7.7 times less memory. Machines
differ: on a slower day 3.7 s against 41 s. 10,000,240 events take 22 s and 935 MiB; an event costs
5 µs in a file of 10,000, 2 µs in one of 100,000, 1,000,000 or 10,000,000.
"""

import argparse
import json
import statistics
import subprocess
import sys
from typing import Any

OURS = (
    "from traces import device_activity, open_trace",
    """
trace = open_trace(path, max_bytes=1 << 40)
busy = [activity.active for activity in device_activity(trace)]
events = trace.meta["salvage"]["kept"]
""",
)
HTA = (
    "from hta.trace_analysis import TraceAnalysis",
    """
analysis = TraceAnalysis(trace_files={0: path})
frame = analysis.get_temporal_breakdown(visualize=False)
busy = [1 - share / 100 for share in frame["idle_time_pctg"]]  # of the marked steps
events = None
""",
)
MEASURED = """
import json, resource, sys, time
{imports}
path = sys.argv[1]
start, cpu = time.perf_counter(), time.process_time()
{work}
seconds, cpu = time.perf_counter() - start, time.process_time() - cpu
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(json.dumps({{"s": seconds, "cpu_s": cpu, "MiB": peak, "events": events, "busy": busy}}))
"""
FIGURES = {"s": "faster", "cpu_s": "less processor time", "MiB": "less memory"}


def measured(python: str, code: tuple[str, str], path: str) -> dict[str, Any]:
    """One reading in a process of its own; imports count for its memory, not for its time."""
    imports, work = code
    command = [python, "-c", MEASURED.format(imports=imports, work=work), path]
    result = subprocess.run(command, capture_output=True, text=True, check=True)
    found: dict[str, Any] = json.loads(result.stdout.splitlines()[-1])
    return found


def line(name: str, runs: list[dict[str, Any]], events: int) -> str:
    """The medians of several readings as text."""
    seconds, cpu, peak = (statistics.median(run[key] for run in runs) for key in FIGURES)
    return (
        f"  {name:6} {seconds:8.2f} s, processor {cpu:8.2f} s ({1e6 * cpu / events:6.2f} µs an "
        f"event of {events:,}), peak {peak:8.0f} MiB, busy "
        + ", ".join(f"{share:.3%}" for share in runs[0]["busy"])
    )


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.load", description=__doc__)
    parser.add_argument("files", nargs="+", metavar="FILE")
    parser.add_argument("--hta", metavar="PYTHON", help="compare with HolisticTraceAnalysis")
    parser.add_argument("--repeat", type=int, default=3)
    options = parser.parse_args()
    for path in options.files:
        print(path)
        ours, theirs = [], []
        for _ in range(options.repeat):
            ours.append(measured(sys.executable, OURS, path))
            if options.hta:
                theirs.append(measured(options.hta, HTA, path))
        events = ours[0]["events"]
        print(line("here", ours, events))
        if theirs:
            print(line("HTA", theirs, events))
            for key, word in FIGURES.items():
                ratios = [b[key] / a[key] for a, b in zip(ours, theirs, strict=True)]
                print(f"  {statistics.median(ratios):.1f} times {word}")


if __name__ == "__main__":
    main()
