"""Which streams an engine has: one each for H2D, compute and D2H, or fewer."""

from engine.device.api import Device, Stream
from engine.mechanisms.table import Mechanisms
from engine.oplog import StreamKind

STREAM_LAYOUTS: dict[str, tuple[str, str, str]] = {
    "three": ("H2D", "compute", "D2H"),
    "two-copies": ("copies", "compute", "copies"),
    "two-h2d": ("compute", "compute", "D2H"),
    "two-d2h": ("H2D", "compute", "compute"),
    "one": ("compute", "compute", "compute"),
    "default": ("default", "default", "default"),
    "d2h-default": ("H2D", "compute", "default"),
}
"""Which streams H2D, compute and D2H use, for each value of `streams`."""


def make_streams(device: Device, mechanisms: Mechanisms) -> tuple[Stream, Stream, Stream]:
    """The streams for H2D, compute and D2H; some layouts share one."""
    kind = StreamKind(mechanisms.stream_kind)
    made: dict[str, Stream] = {}
    for name in STREAM_LAYOUTS[mechanisms.streams]:
        if name not in made:
            made[name] = device.stream(name, StreamKind.DEFAULT if name == "default" else kind)
    h2d, compute, d2h = (made[name] for name in STREAM_LAYOUTS[mechanisms.streams])
    return h2d, compute, d2h
