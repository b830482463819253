"""Which lanes of a JAX or XLA trace are a device's work.

XLA writes no categories: a process is called "/device:GPU:0", its threads "Stream #7(Kernel)".
The other threads of such a process (modules, steps, name scopes) retell the streams' work, and
so do those of a TPU except for the line of its operations.
"""

import re

from traces.readers.assembly import LaneNames
from traces.readers.span_table import Lane, SpanTable
from traces.readers.track_names import device_kind, stream_of
from traces.schema import HOST, NONE

DEVICE_PROCESS = re.compile(r"/device:[A-Za-z_]+:(\d{1,6})")
WORK_THREAD = re.compile(r"Stream #|XLA Ops")


def place_device_lanes(table: SpanTable, names: LaneNames) -> bool:
    """Give the lanes of device processes their device and stream, and the spans on them their
    kinds; whether there are any."""
    work: set[int] = set()
    retold: set[int] = set()
    moved: dict[Lane, Lane] = {}
    for lane, number in table.lanes.items():
        process = DEVICE_PROCESS.search(names.processes.get(lane.pid, ""))
        if process is None or lane.device != HOST:
            continue
        thread = names.threads.get((lane.pid, lane.tid), "")
        is_work = WORK_THREAD.match(thread) is not None
        (work if is_work else retold).add(number)
        stream = stream_of(thread) if is_work else NONE
        label = "" if is_work else thread or lane.tid
        moved[lane] = Lane(lane.pid, lane.tid, int(process[1]), stream, label)
    table.move_lanes(moved)
    table.rename_kinds(work, device_kind)
    table.rename_kinds(retold, lambda name: "annotation")
    return bool(work or retold)
