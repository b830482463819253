"""A class at once: many learners on one server, from the opened link to the end of the lesson.

    python -m benchmarks.classroom                    40 learners, 5 minutes, one process
    python -m benchmarks.classroom --processes 2      two processes behind HAProxy
    python -m benchmarks.classroom --learners 8 --minutes 1 -o class.json

Starts the lab on this machine's loopback and opens one tab a learner (`browser_tab.py`), all at the
same moment. Each learner then does something about every 15 s (uniformly from 7.5 to 22.5 s):
switches a mechanism on Timeline and later back, steps in the Stepper, changes the prediction of a
lesson, uploads a small trace in Inspect; after four acts on a page goes to the next. Who does what
is drawn from a fixed seed. A time is what a learner waits: from the act to the end of the script
that answers it; what a browser takes to draw comes on top. Writes a JSON file and prints it as
Markdown; leaves with 1 where a promise is not kept.
"""

import argparse
import asyncio
import json
import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from benchmarks.classroom_report import Act, judged, markdown
from benchmarks.learner import Learner
from deploy.__main__ import answers, free_ports

ROOT = Path(__file__).resolve().parent.parent
THINK_S = (7.5, 22.5)
MEMORY_EVERY_S = 2.0
STARTUP_S = 120


def main(arguments: list[str]) -> int:
    """Measure and print; returns 1 where a promise is not kept."""
    options = read(arguments)
    command, address = server(options.processes)
    environment = {"OMP_NUM_THREADS": "1", **os.environ}
    process = subprocess.Popen(
        command, cwd=ROOT, env=environment, stdout=subprocess.DEVNULL, process_group=0
    )
    try:
        wait_until_healthy(address, process)
        acts, all_in_s, memory = asyncio.run(hold_class(options, address, process.pid))
    finally:
        process.terminate()
        process.wait(20)
    result = judged(vars(options), acts, all_in_s, memory)
    Path(options.out).write_text(json.dumps(result, indent=1))
    print(markdown(result))
    return 0 if all(result["kept"].values()) else 1


def read(arguments: list[str]) -> argparse.Namespace:
    """The options."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--learners", type=int, default=40)
    parser.add_argument("--minutes", type=float, default=5)
    parser.add_argument(
        "--processes", type=int, default=0, help="behind HAProxy; 0: one process and no HAProxy"
    )
    parser.add_argument(
        "--link", default="/lessons?lesson=07&lang=en", help="what all open at first"
    )
    parser.add_argument("-o", "--out", default="classroom.json")
    return parser.parse_args(arguments)


def server(processes: int) -> tuple[list[str], str]:
    """The command that serves the lab on a free port of the loopback, and its address."""
    port = str(free_ports(1)[0])
    if processes:
        command = ["-m", "deploy", "--processes", str(processes)]
        command += ["--address", "127.0.0.1", "--port", port]
    else:
        command = ["-m", "streamlit", "run", "app.py", "--server.headless", "true"]
        command += ["--server.address", "127.0.0.1", "--server.port", port]
    return [sys.executable, *command], f"http://127.0.0.1:{port}"


def wait_until_healthy(address: str, process: subprocess.Popen[bytes]) -> None:
    """Wait until the server answers; leaves with a sentence where it ended."""
    if not answers(address, process, STARTUP_S):
        raise SystemExit(
            f"The lab does not answer at {address}: is the port taken? Try another --port."
        )


async def hold_class(
    options: argparse.Namespace, address: str, pid: int
) -> tuple[list[Act], float, list[tuple[float, float]]]:
    """All acts of the class, the seconds until everybody was in, and the memory over time."""
    threads = ThreadPoolExecutor(options.learners + 1)  # each tab fetches files as it opens
    asyncio.get_running_loop().set_default_executor(threads)
    learners = [Learner(number, address) for number in range(options.learners)]
    began = time.monotonic()
    until = began + 60 * options.minutes
    memory: list[tuple[float, float]] = []
    watching = asyncio.create_task(watch(pid, began, memory))
    await asyncio.gather(*(learner.come_in(options.link) for learner in learners))
    all_in_s = time.monotonic() - began
    await asyncio.gather(*(learner.work(until, THINK_S) for learner in learners))
    watching.cancel()
    await asyncio.gather(*(learner.tab.close() for learner in learners))
    return [act for learner in learners for act in learner.acts], all_in_s, memory


async def watch(group: int, began: float, memory: list[tuple[float, float]]) -> None:
    """Note from time to time how much memory (MiB) the server's processes have."""
    while True:
        told = subprocess.run(["ps", "-e", "-o", "pgid=,rss="], capture_output=True, text=True)
        rows = [line.split() for line in told.stdout.splitlines()]
        kib = sum(int(rss) for pgid, rss in rows if pgid == str(group))
        memory.append((time.monotonic() - began, kib / 1024))
        await asyncio.sleep(MEMORY_EVERY_S)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
