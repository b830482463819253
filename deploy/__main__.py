"""`python3 start.py class`: the lab for a class, several processes of it behind HAProxy.

A process works on one page at a time, and uses one core; a class has one process for each. This
starts them on this machine's loopback, HAProxy in front of them on the one address that learners
open, and ends all of them together. A process that dies is started anew: its learners' pages come
back from their URLs.
"""

import argparse
import ctypes
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from contextlib import ExitStack
from pathlib import Path
from string import Template

ROOT = Path(__file__).resolve().parent.parent
TEMPLATE = Path(__file__).with_name("haproxy.cfg.template")
STARTUP_S = 300
LOOK_EVERY_S = 1.0
MOST_PROCESSES = 256
PR_SET_PDEATHSIG = 1  # Linux, sys/prctl.h
MISSING = (
    "HAProxy is not installed; it shares the learners out among the processes. Install it "
    "(Debian and Ubuntu: `sudo apt install haproxy`, macOS: `brew install haproxy`) and start "
    "again, or serve a small class with one process: `python3 start.py --server.address 0.0.0.0`."
)

ENDED = "HAProxy ended, so nobody can reach the lab any more: start the class again."
ENDING = [
    getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)
]  # a closed terminal hangs up


def main(arguments: list[str]) -> int:
    """Serve until a signal comes; returns the exit code."""
    options = read(arguments)
    haproxy = shutil.which("haproxy") or shutil.which("haproxy", path="/usr/sbin:/usr/local/sbin")
    if haproxy is None:
        print(MISSING, file=sys.stderr)
        return 2
    for number in ENDING:
        signal.signal(number, lambda *_: sys.exit(0))
    ports = free_ports(options.processes)
    environment = surroundings()
    running: dict[int, subprocess.Popen[bytes]] = {}
    with tempfile.TemporaryDirectory() as folder:
        config = Path(folder) / "haproxy.cfg"
        config.write_text(balancer_config(f"{options.address}:{options.port}", ports))
        try:
            check_free(options.address, options.port)
            print(
                f"Starting the processes ({options.processes}), half a minute or so …", flush=True
            )
            for port in ports:
                running[port] = start_process(port, options.streamlit, environment)
            for port, process in running.items():
                wait_until_healthy(port, process)
            balancer = subprocess.Popen([haproxy, "-f", str(config)], preexec_fn=end_with_parent)
            running[0] = balancer
            time.sleep(LOOK_EVERY_S)  # where it cannot have the port it ends at once
            if balancer.poll() is not None:
                raise ServingError(f"{ENDED} The reason stands above.")
            print(f"Overlap Lab for a class: http://{options.address}:{options.port}", flush=True)
            return look_after(running, balancer, options.streamlit, environment)
        except KeyboardInterrupt:
            return 0
        except ServingError as error:
            print(error, file=sys.stderr)
            return 1
        finally:
            end(running)


class ServingError(Exception):
    """What keeps the lab from being served, in one sentence."""


def read(arguments: list[str]) -> argparse.Namespace:
    """The options; what stands after `--` goes to each process."""
    parser = argparse.ArgumentParser(prog="python3 start.py class", description=__doc__)
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1, metavar="K")
    parser.add_argument("--address", default="localhost", help="0.0.0.0 for the whole network")
    parser.add_argument("--port", type=int, default=8501)
    parser.add_argument("streamlit", nargs="*", metavar="-- OPTION", help="for each process")
    options = parser.parse_args(arguments)
    if not 1 <= options.processes <= MOST_PROCESSES:
        parser.error(f"--processes: 1 to {MOST_PROCESSES}")
    if not 1 <= options.port <= 65535:
        parser.error("--port: 1 to 65535")
    return options


def free_ports(count: int) -> list[int]:
    """Ports of the loopback that nobody listens on."""
    with ExitStack() as taken:
        sockets = [taken.enter_context(socket.socket()) for _ in range(count)]
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in sockets]


def check_free(address: str, port: int) -> None:
    """Raises ServingError where nobody could listen there: better said before all is started."""
    try:
        with socket.socket() as one:
            one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            one.bind((address, port))
    except OSError as error:
        raise ServingError(
            f"{address}:{port} cannot be opened ({error.strerror}); try another --port or "
            "another --address."
        ) from None


def end_with_parent() -> None:
    """Called in a child: on Linux it ends when this process does, even one that was killed."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


def surroundings() -> dict[str, str]:
    """What the processes share: one secret, so that a cookie outlives the process that signed it,
    one thread for torch each, for the cores are shared out already, and one heap for all threads of
    a process: Streamlit runs pages in ever new ones, and glibc would give those 16 heaps with holes
    (a class of 20 left 25 MB more in them, and was no quicker)."""
    return {
        "OMP_NUM_THREADS": "1",
        "MALLOC_ARENA_MAX": "1",
        "STREAMLIT_SERVER_COOKIE_SECRET": secrets.token_hex(32),
        **os.environ,
    }


def balancer_config(bind: str, ports: list[int]) -> str:
    """HAProxy's configuration for processes on these ports of the loopback."""
    lines = [f"server lab{port} 127.0.0.1:{port} cookie lab{port}" for port in ports]
    return Template(TEMPLATE.read_text()).substitute(bind=bind, processes="\n    ".join(lines))


def start_process(
    port: int, streamlit: list[str], environment: dict[str, str]
) -> subprocess.Popen[bytes]:
    """One process of the lab, on a port of the loopback."""
    command = [
        sys.executable, "-m", "deploy.process", "--server.headless", "true",
        "--server.address", "127.0.0.1", "--server.port", str(port), *streamlit,
    ]  # fmt: skip
    return subprocess.Popen(
        command,
        cwd=ROOT,
        env=environment,
        stdout=subprocess.DEVNULL,
        preexec_fn=end_with_parent,
    )


def wait_until_healthy(port: int, process: subprocess.Popen[bytes]) -> None:
    """Wait until a process answers. Raises ServingError where it does not."""
    if not answers(f"http://127.0.0.1:{port}", process, STARTUP_S):
        raise ServingError("The lab did not start, for the reason in the lines above.")


def answers(address: str, process: subprocess.Popen[bytes], patience_s: float) -> bool:
    """Wait until the lab answers at an address; False where its process ended or time is up."""
    deadline = time.monotonic() + patience_s
    while time.monotonic() < deadline and process.poll() is None:
        try:
            with urllib.request.urlopen(f"{address}/_stcore/health", timeout=2):
                return True
        except OSError:
            time.sleep(0.2)
    return False


def look_after(
    running: dict[int, subprocess.Popen[bytes]],
    balancer: subprocess.Popen[bytes],
    streamlit: list[str],
    environment: dict[str, str],
) -> int:
    """Start processes anew that ended, until the balancer ends."""
    while balancer.poll() is None:
        for port, process in running.items():
            if process is not balancer and process.poll() is not None:
                print(f"The process on port {port} ended; it is started anew.", file=sys.stderr)
                running[port] = start_process(port, streamlit, environment)
        time.sleep(LOOK_EVERY_S)
    raise ServingError(ENDED)


def end(running: dict[int, subprocess.Popen[bytes]]) -> None:
    """End all of them."""
    for process in running.values():
        process.terminate()
    for process in running.values():
        try:
            process.wait(5)
        except subprocess.TimeoutExpired:
            process.kill()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
