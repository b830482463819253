"""The command lines need no network and write nothing into the checkout.

An audit hook sees every file that Python opens for writing, makes, moves or removes, and every
socket that looks for somebody.
"""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

WATCHED = r"""
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


def test_no_command_writes_into_the_checkout_or_asks_the_network(tmp_path):
    place = tmp_path / "ein Ordner – 夹"
    place.mkdir()
    program = [sys.executable, "-c", WATCHED, str(ROOT), str(place)]
    ended = subprocess.run(program, capture_output=True, text=True, check=True, cwd=ROOT)
    assert ended.stdout.splitlines()[-1] == "[0, 0, 0, 0, 0] []", ended.stdout


def test_the_watch_sees_what_it_is_for(tmp_path):
    """The same hook, on a program that does both."""
    head = WATCHED.split("from engine.cli")[0]
    deed = (
        "import pathlib, socket\n"
        "open(ROOT + '/x', 'w').close(); os.remove(ROOT + '/x')\n"
        "with contextlib.suppress(OSError): socket.create_connection(('127.0.0.1', 1), 1)\n"
        "print([event for event, _ in touched])"
    )
    program = [sys.executable, "-c", head + deed, str(tmp_path)]
    told = subprocess.run(program, capture_output=True, text=True, check=True).stdout
    assert all(event in told for event in ("'open'", "'os.remove'", "'socket.connect'"))
