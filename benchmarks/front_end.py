"""The files of Streamlit's front end, fetched as a browser fetches them on its first visit."""

import re
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlsplit

import streamlit

CONNECTIONS = 6
"""So many a browser opens to one server."""

PATIENCE_S = 60
_NAMED = re.compile(r'(?:src|href)="\./(static/[^"]+)"')


def files(document: str) -> list[str]:
    """What a document names: scripts, styles, fonts."""
    return _NAMED.findall(document)


def files_of_a_figure() -> list[str]:
    """What is asked for when there is a figure to draw: the largest file of all."""
    folder = Path(streamlit.__file__).parent / "static"
    return [str(path.relative_to(folder)) for path in folder.glob("static/js/PlotlyChart.*.js")]


def fetch(address: str, cookies: str, paths: Iterable[str]) -> int:
    """Fetch them all, six at a time; returns the bytes. Raises OSError where one is refused."""
    waiting = list(paths)
    with ThreadPoolExecutor(CONNECTIONS) as connections:
        shares = [waiting[first::CONNECTIONS] for first in range(CONNECTIONS)]
        return sum(connections.map(lambda share: _fetch_share(address, cookies, share), shares))


def _fetch_share(address: str, cookies: str, paths: list[str]) -> int:
    """Fetch some one after the other, on one connection."""
    parts, size = urlsplit(address), 0
    connection = HTTPConnection(parts.hostname or "", parts.port, timeout=PATIENCE_S)
    try:
        for path in paths:
            connection.request("GET", f"/{path}", headers={"Cookie": cookies})
            answer = connection.getresponse()
            size += len(answer.read())
            if answer.status != 200:
                raise OSError(f"/{path} answers {answer.status}")
    finally:
        connection.close()
    return size
