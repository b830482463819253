"""A class's balancer: a learner stays with one process, and goes to another when it is gone."""

import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
import requests

from deploy.__main__ import MISSING, balancer_config, free_ports, main, read

HAPROXY = shutil.which("haproxy") or shutil.which("haproxy", path="/usr/sbin:/usr/local/sbin")
PATHS = ("/", "/_stcore/upload_file/a/b", "/media/c.bin", "/lessons?lesson=07")


class StandIn(BaseHTTPRequestHandler):
    """Answers every request with the port of the process that it stands for."""

    def do_GET(self) -> None:
        body = str(self.server.server_address[1]).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "public, max-age=60")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def processes() -> Iterator[dict[int, ThreadingHTTPServer]]:
    servers = [ThreadingHTTPServer(("127.0.0.1", 0), StandIn) for _ in range(2)]
    for server in servers:
        threading.Thread(target=server.serve_forever, daemon=True).start()
    yield {server.server_address[1]: server for server in servers}
    for server in servers:
        server.shutdown()
        server.server_close()


@pytest.fixture
def address(processes: dict[int, ThreadingHTTPServer], tmp_path: Path) -> Iterator[str]:
    if HAPROXY is None:
        pytest.skip("HAProxy is not installed")
    (port,) = free_ports(1)
    config = tmp_path / "haproxy.cfg"
    config.write_text(balancer_config(f"127.0.0.1:{port}", list(processes)))
    balancer = subprocess.Popen([HAPROXY, "-f", str(config)], stderr=subprocess.DEVNULL)
    try:
        wait_for(f"http://127.0.0.1:{port}", balancer)
        yield f"http://127.0.0.1:{port}"
    finally:
        balancer.terminate()
        balancer.wait(10)


def wait_for(address: str, balancer: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline and balancer.poll() is None:
        try:
            if requests.get(address, timeout=2).ok:
                return
        except requests.ConnectionError:
            time.sleep(0.05)
    pytest.fail("HAProxy does not answer")


def asked(learner: requests.Session, url: str) -> int:
    return int(learner.get(url, timeout=10).text)


def test_learners_are_spread_and_each_stays_with_one_process(address: str) -> None:
    learners = [requests.Session() for _ in range(4)]
    of_each = [{asked(learner, address + path) for path in PATHS} for learner in learners]
    assert all(len(found) == 1 for found in of_each)
    assert len(set.union(*of_each)) == 2
    assert all("httponly" in cookie_attributes(learner) for learner in learners)


def cookie_attributes(learner: requests.Session) -> set[str]:
    (cookie,) = learner.cookies
    assert cookie.name == "overlap-lab"
    return {name.lower() for name in cookie._rest}


def test_a_learner_of_a_process_that_is_gone_goes_to_the_other(
    address: str, processes: dict[int, ThreadingHTTPServer]
) -> None:
    learner = requests.Session()
    first = asked(learner, address)
    processes[first].shutdown()
    processes[first].server_close()
    other = asked(learner, address)
    assert {first, other} == set(processes)
    assert asked(learner, address) == other


def test_the_front_end_is_kept_and_gives_nobody_anothers_cookie(address: str) -> None:
    learners = [requests.Session() for _ in range(3)]
    answers = {asked(learner, f"{address}/static/js/index.js") for learner in learners}
    assert len(answers) == 1  # kept: the processes would have answered by turns
    assert not any(learner.cookies for learner in learners)


def test_without_haproxy_it_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(shutil, "which", lambda *_, **__: None)
    assert main([]) == 2
    assert capsys.readouterr().err == MISSING + "\n"
    assert "apt install haproxy" in MISSING


def test_options_for_the_processes_stand_behind_two_dashes() -> None:
    options = read(["--processes", "3", "--", "--server.maxUploadSize", "100"])
    assert (options.processes, options.address) == (3, "localhost")
    assert options.streamlit == ["--server.maxUploadSize", "100"]


@pytest.mark.parametrize(
    ("option", "number"),
    [("--processes", "0"), ("--processes", "100000"), ("--port", "0"), ("--port", "99999")],
)
def test_numbers_that_cannot_be_are_refused(
    option: str, number: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        read([option, number])
    assert f"{option}: 1 to " in capsys.readouterr().err


def test_a_port_that_is_taken_is_told_before_anything_is_started(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(shutil, "which", lambda *_, **__: "haproxy")
    monkeypatch.setattr("deploy.__main__.start_process", lambda *_: pytest.fail("started"))
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert main(["--address", "127.0.0.1", "--port", str(port)]) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"127.0.0.1:{port} cannot be opened (") and "--port" in line
    assert main(["--address", "no-such-host.invalid", "--port", "8501"]) == 1
    assert capsys.readouterr().err.startswith("no-such-host.invalid:8501 cannot be opened (")


STARTS_A_CHILD = """
import subprocess, sys, time
from deploy.__main__ import end_with_parent
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"],
                         stdout=subprocess.DEVNULL, preexec_fn=end_with_parent)
print(child.pid, flush=True)
time.sleep(60)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="a child is told of it on Linux alone")
def test_children_end_with_a_parent_that_was_killed() -> None:
    parent = subprocess.Popen([sys.executable, "-c", STARTS_A_CHILD], stdout=subprocess.PIPE)
    assert parent.stdout is not None
    child = int(parent.stdout.readline())
    parent.kill()
    parent.wait()
    parent.stdout.close()
    deadline = time.monotonic() + 20
    while is_alive(child) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not is_alive(child)


def is_alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


def test_a_closed_terminal_ends_it_as_a_signal_to_end_does(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    handled = {}
    monkeypatch.setattr("deploy.__main__.signal.signal", handled.__setitem__)
    monkeypatch.setattr(shutil, "which", lambda *_, **__: "haproxy")
    monkeypatch.setattr("deploy.__main__.check_free", lambda *_: (_ for _ in ()).throw(SystemExit))
    with pytest.raises(SystemExit):
        main(["--processes", "1"])
    assert {signal.SIGTERM, signal.SIGHUP} <= set(handled)
