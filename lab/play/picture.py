"""The timeline of a position: what was done, and what the queues will still do."""

from collections.abc import Mapping

import numpy as np

from engine.oplog import OpKind
from engine.play import Position
from engine.streams import STREAM_LAYOUTS
from lab.catalogue import t
from lab.picture.gantt import Gantt, Panel, draw
from lab.picture.lanes import Lane, Strip, make_lanes
from lab.picture.lod import Layer
from lab.stepper.picture import with_cursor
from traces import idle_stretches
from traces.intervals import Intervals

LEAST_NS = 12_000_000
"""The picture is never shorter: a first operation should not fill it."""


def position_picture(position: Position) -> Gantt:
    """The lanes of a position with the host's place in time."""
    computes = any(op.kind is OpKind.KERNEL for op in position.log)
    gaps = position.gaps if computes else []  # idle before the first kernel says nothing yet
    lanes = position_lanes(position, idle_stretches(position.trace) if computes else {})
    panel = Panel("", position.trace, gaps, lanes, arrows=True, hazards=position.hazards)
    end_ns = max(LEAST_NS, position.now_ns, *(op.end_ns for op in position.log), 0)
    gantt = draw([panel], (0, end_ns + end_ns // 25))
    return with_cursor(gantt, position.now_ns, t("host.flag"))


def position_lanes(position: Position, idle: Mapping[int, Intervals]) -> list[Lane]:
    """The host's lane and one for each stream of the level, used or not."""
    made = {lane.key: lane for lane in make_lanes(position.trace, idle)}
    number = {stream.name: stream.index for stream in position.log.streams}
    names = dict.fromkeys(STREAM_LAYOUTS[position.level.mechanisms.streams])
    keys = {f"0/{number[name]}": name for name in names}
    return [made["host"], *(made.get(key, _empty(key, name)) for key, name in keys.items())]


def _empty(key: str, name: str) -> Lane:
    nothing = np.array([], dtype=np.int64)
    return Lane(key, name, (Strip(Layer(nothing, nothing, nothing, nothing)),), gpu=True)
