"""Commands and pages need no network and write nothing into the checkout.

An audit hook sees every file that Python opens for writing, makes, moves or removes, and every
socket that looks for somebody.
"""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

WATCH = r"""
import contextlib, io, os, sys
ROOT, touched = sys.argv[1], []
CHANGES = ("os.remove", "os.rename", "os.mkdir", "os.rmdir", "os.link", "os.symlink", "os.truncate")

def inside(path):
    return isinstance(path, (str, bytes)) and os.path.abspath(os.fsdecode(path)).startswith(ROOT)

def watch(event, arguments):
    if event == "open":
        path, mode, flags = arguments
        writes = flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)
        if writes and inside(path):
            touched.append((event, path))
    elif event in CHANGES and any(map(inside, arguments)):
        touched.append((event, arguments))
    elif event in ("socket.connect", "socket.getaddrinfo", "socket.gethostbyname"):
        touched.append((event, arguments[-1]))

sys.dont_write_bytecode = True
sys.addaudithook(watch)
"""

COMMANDS = """
from engine.cli import main as engine
from lessons.cli import main as lessons
from traces.__main__ import main as traces
out = sys.argv[2]
with contextlib.redirect_stdout(io.StringIO()):
    codes = [
        engine(["run", "--steps", "3", "--out", f"{out}/a.json.gz"]),
        engine(["sweep", "--steps", "2", "--no-compute", "--seeds", "0:2", "--jobs", "1",
                "-o", f"{out}/t.parquet"]),
        traces(["inspect", f"{out}/a.json.gz"]),
        traces(["convert", f"{out}/a.json.gz", f"{out}/a.parquet"]),
        lessons(["list"]),
    ]
print(codes, touched)
"""

PAGES = """
from deploy.process import open_every_page
open_every_page()
print("opened", touched)
"""


def told_by(program: str, place: Path, root: Path = ROOT) -> str:
    """The last line that a watched program prints."""
    command = [sys.executable, "-c", program, str(root), str(place)]
    ended = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    assert ended.returncode == 0, ended.stderr
    return ended.stdout.splitlines()[-1]


def test_no_command_writes_into_the_checkout_or_asks_the_network(tmp_path):
    place = tmp_path / "ein Ordner – 夹"
    place.mkdir()
    assert told_by(WATCH + COMMANDS, place) == "[0, 0, 0, 0, 0] []"


def test_no_page_writes_into_the_checkout_or_asks_the_network(tmp_path):
    assert told_by(WATCH + PAGES, tmp_path) == "opened []"


def test_the_watch_sees_what_it_is_for(tmp_path):
    """The same hook, on a program that does both."""
    deed = (
        "import pathlib, socket\n"
        "open(ROOT + '/x', 'w').close(); os.remove(ROOT + '/x')\n"
        "with contextlib.suppress(OSError): socket.create_connection(('127.0.0.1', 1), 1)\n"
        "print([event for event, _ in touched])"
    )
    told = told_by(WATCH + deed, tmp_path, root=tmp_path)
    assert all(event in told for event in ("'open'", "'os.remove'", "'socket.connect'"))
