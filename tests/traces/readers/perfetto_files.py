"""Small Perfetto traces for tests, built with the message classes of the `perfetto` package."""

from typing import Any

from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as pb

BEGIN, END, INSTANT, COUNTER = 1, 2, 3, 4


class Builder:
    """Collects packets of one sequence; `data()` is the file."""

    def __init__(self, sequence: int = 1) -> None:
        self.trace = pb.Trace()
        self.sequence = sequence

    def packet(self, **fields: Any) -> Any:
        fields.setdefault("trusted_packet_sequence_id", self.sequence)
        packet = self.trace.packet.add()
        for name, value in fields.items():
            setattr(packet, name, value)
        return packet

    def track(self, uuid: int, name: str = "", parent: int = 0) -> Any:
        descriptor = self.packet().track_descriptor
        descriptor.uuid = uuid
        if name:
            descriptor.name = name
        if parent:
            descriptor.parent_uuid = parent
        return descriptor

    def thread(self, uuid: int, pid: int, tid: int, name: str) -> None:
        thread = self.track(uuid).thread
        thread.pid, thread.tid, thread.thread_name = pid, tid, name

    def process(self, uuid: int, pid: int, name: str) -> None:
        process = self.track(uuid).process
        process.pid, process.process_name = pid, name

    def event(self, uuid: int, kind: int, ts: int, name: str = "", category: str = "") -> Any:
        event = self.packet(timestamp=ts).track_event
        event.track_uuid, event.type = uuid, kind
        if name:
            event.name = name
        if category:
            event.categories.append(category)
        return event

    def span(
        self, uuid: int, start: int, end: int, name: str, category: str = "", **args: Any
    ) -> None:
        event = self.event(uuid, BEGIN, start, name, category)
        for key, value in args.items():
            argument = event.debug_annotations.add()
            argument.name = key
            argument.int_value = value
        self.event(uuid, END, end)

    def data(self) -> bytes:
        return bytes(self.trace.SerializeToString())
