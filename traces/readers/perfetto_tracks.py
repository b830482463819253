"""Tracks of a Perfetto trace: whose thread or device each one is, and what its spans are."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from traces.readers.assembly import LaneNames
from traces.readers.kineto import CATEGORIES, call_kind, host_kind, number
from traces.readers.protobuf_wire import words
from traces.readers.span_table import LONGEST_LABEL, Lane, cut
from traces.readers.track_names import device_kind, device_of, stream_of
from traces.schema import HOST, NONE

MAX_DEPTH = 8
GPU_CATEGORIES = {name for name, role in CATEGORIES.items() if role.on_gpu}
GPU_CATEGORIES |= {"kernel_dispatch", "memory_copy"}
CALL_CATEGORIES = {"hip_api", "hsa_api", "hip_runtime_api", "hip_compiler_api"}
DEVICE_ARGS = ("device", "agent")
STREAM_ARGS = ("stream", "stream_ID", "queue")
CORRELATION_ARGS = ("correlation", "corr_id", "correlation_id")


class Slice(NamedTuple):
    """What a track event says of its span."""

    name: str | None
    category: str = ""
    args: Mapping[str, Any] = {}


class Track(NamedTuple):
    """What a descriptor says of a track; `parent` 0 is none."""

    name: str = ""
    parent: int = 0
    pid: str = ""
    tid: str = ""


class Tracks:
    """All tracks of a file by uuid; descriptors may come after the events on them."""

    def __init__(self) -> None:
        self._tracks: dict[int, Track] = {}
        self.names = LaneNames()

    def take(self, descriptor: Any) -> None:  # noqa: ANN401 - a protobuf message
        """Learn from a TrackDescriptor."""
        name = cut(words(descriptor.name or descriptor.static_name), LONGEST_LABEL)
        pid = tid = ""
        if descriptor.HasField("thread"):
            pid, tid = str(descriptor.thread.pid), str(descriptor.thread.tid)
            self._set(self.names.threads, (pid, tid), words(descriptor.thread.thread_name) or name)
        if descriptor.HasField("process"):
            pid = str(descriptor.process.pid)
            self._set(self.names.processes, pid, words(descriptor.process.process_name) or name)
        self._tracks[descriptor.uuid] = Track(name, descriptor.parent_uuid, pid, tid)

    def _set(self, names: dict[Any, str], key: object, name: str) -> None:
        if name:
            names[key] = name

    def path(self, uuid: int) -> list[Track]:
        """The track and what it stands under, inside first."""
        found: list[Track] = []
        while len(found) < MAX_DEPTH and (track := self._tracks.get(uuid)) is not None:
            found.append(track)
            uuid = track.parent
        return found or [Track(name=f"track {uuid}" if uuid else "")]

    def place(self, uuid: int, event: Slice) -> tuple[Lane, str, int]:
        """Lane, kind and correlation id of a span on a track."""
        path = self.path(uuid)
        pid = next((track.pid for track in path if track.pid), "")
        words = " ".join(track.name for track in reversed(path) if not track.tid)
        name, category = event.name or "", event.category.lower()
        correlation = number(_first(event, CORRELATION_ARGS)) or NONE
        if category in GPU_CATEGORIES or (not path[0].tid and device_of(words) != HOST):
            device = number(_first(event, DEVICE_ARGS), device_of(words))
            stream = number(_first(event, STREAM_ARGS), stream_of(words))
            lane = Lane(pid, str(uuid), max(device, 0), stream)
            role = CATEGORIES.get(category)
            if role is not None and role.kind == "annotation":
                return lane._replace(label="annotations"), "annotation", correlation
            return lane, device_kind(name), correlation
        if path[0].tid:
            return Lane(pid, path[0].tid), _host_kind(category, name), correlation
        return Lane(pid, "", label=path[0].name or "track"), "annotation", correlation


def _host_kind(category: str, name: str) -> str:
    if category.startswith("marker"):
        return "annotation"
    if category in CALL_CATEGORIES:
        return call_kind(name)
    role = CATEGORIES.get(category)
    if role is None or role.kind == "runtime":
        return host_kind(name)
    return role.kind if not role.on_gpu else "annotation"


def _first(event: Slice, names: tuple[str, ...]) -> Any:  # noqa: ANN401 - what the file says
    return next((event.args[name] for name in names if name in event.args), None)
