"""What the names of tracks and spans tell where nothing else does."""

import re

from traces.readers.kineto import copy_kind
from traces.schema import HOST, NONE

NUMBER = r"\D{0,3}([0-9]{1,9})(?!\d)"
DEVICE = re.compile(rf"(?:\b|_)(?:GPU|device|cuda|hip|agent){NUMBER}", re.IGNORECASE)
STREAM = re.compile(rf"(?:stream|queue){NUMBER}", re.IGNORECASE)
MEMSET = re.compile("memset", re.IGNORECASE)
COPY = re.compile("memcpy|copy", re.IGNORECASE)


def device_of(track: str) -> int:
    """The device in a name such as "GPU 0 stream 7" or "/device:GPU:0"; HOST for none."""
    match = DEVICE.search(track)
    return int(match[1]) if match else HOST


def stream_of(track: str) -> int:
    """The stream or queue in a name such as "Stream #7(Kernel)"; NONE for none."""
    match = STREAM.search(track)
    return int(match[1]) if match else NONE


def device_kind(name: str) -> str:
    """The kind of a device's span by its name: a copy, a memset, else a kernel."""
    if MEMSET.search(name):
        return "memset"
    return copy_kind(name) if COPY.search(name) else "kernel"
