"""Keeps a student's code to what an exercise needs: no deleting, no programs, no network.

It is a railing and not a wall. It stops accidents and simple attempts by Python's own audit
events, and says what was tried; code written to break out of Python is not held by it. Whoever
grades strangers' code does so on a machine that can be thrown away.
"""

import os
import sys
from pathlib import Path
from typing import Any

from lessons.lesson import Words

ACTS = {
    "delete": Words("delete, rename or overwrite a file", "删除、重命名或覆盖文件"),
    "program": Words("start another program", "启动别的程序"),
    "network": Words("use the network", "使用网络"),
    "kill": Words("stop a process", "终止进程"),
}
EVENTS = {
    **dict.fromkeys(
        ("os.remove", "os.rmdir", "os.rename", "os.link", "os.symlink", "os.truncate", "os.chmod",
         "os.chown", "os.mkdir", "os.utime", "shutil.rmtree", "shutil.move", "shutil.copyfile"),
        "delete",
    ),
    **dict.fromkeys(
        ("subprocess.Popen", "os.system", "os.exec", "os.fork", "os.forkpty", "os.posix_spawn",
         "os.spawn", "os.startfile", "pty.spawn"),
        "program",
    ),
    **dict.fromkeys(
        ("socket.connect", "socket.bind", "socket.sendto", "socket.getaddrinfo",
         "urllib.Request", "http.client.connect", "ftplib.connect", "smtplib.connect"),
        "network",
    ),
    **dict.fromkeys(("os.kill", "os.killpg", "signal.pthread_kill"), "kill"),
}  # fmt: skip

WRITES = os.O_WRONLY | os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_TRUNC


class Forbidden(BaseException):  # noqa: N818 - not to be caught by `except Exception`
    """A student's code tried what no exercise needs."""

    def __init__(self, act: Words) -> None:
        super().__init__(act.en)
        self.act = act


class Guard:
    """While `closed`, what is not allowed raises Forbidden. `attempt` remembers the first such
    act, for code that catches everything."""

    def __init__(self) -> None:
        self.closed = False
        self.attempt: Words | None = None
        sys.addaudithook(self._look)

    def _look(self, event: str, arguments: tuple[Any, ...]) -> None:
        if not self.closed:
            return
        act = EVENTS.get(event)
        if act is None and event == "open" and _writes(arguments):
            act = "delete"
        if act is not None:
            self.attempt = self.attempt or ACTS[act]
            raise Forbidden(ACTS[act])


def _writes(arguments: tuple[Any, ...]) -> bool:
    """Whether an `open` event asks to write to a file (not to the null device)."""
    path, _, flags = arguments
    null = isinstance(path, str) and Path(path) == Path(os.devnull)
    return isinstance(flags, int) and bool(flags & WRITES) and not null
