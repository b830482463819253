"""The state of one packet sequence of a Perfetto trace: interned names and defaults.

A writer gives a name once, with a number, and then only the number, until it says that its
state is cleared.
"""

from typing import Any

from traces.readers.perfetto_tracks import Slice
from traces.readers.protobuf_wire import words
from traces.readers.span_table import LONGEST_LABEL, LONGEST_NAME, LONGEST_VALUE, cut

STATE_CLEARED = 1
"""In TracePacket.sequence_flags."""

VALUES = ("bool_value", "uint_value", "int_value", "double_value", "string_value")


class Sequence:
    """What the packets of one sequence have said so far."""

    def __init__(self) -> None:
        self._forget()

    def _forget(self) -> None:
        self.clock_id = self.track_uuid = 0
        self._names: dict[int, str] = {}
        self._categories: dict[int, str] = {}
        self._arguments: dict[int, str] = {}
        self._strings: dict[int, str] = {}

    def take(self, packet: Any) -> None:  # noqa: ANN401 - a protobuf message
        """Learn names and defaults from a packet, after forgetting the old where it says so."""
        if packet.sequence_flags & STATE_CLEARED or packet.incremental_state_cleared:
            self._forget()
        if packet.HasField("trace_packet_defaults"):
            defaults = packet.trace_packet_defaults
            self.clock_id = defaults.timestamp_clock_id
            self.track_uuid = defaults.track_event_defaults.track_uuid
        if packet.HasField("interned_data"):
            data = packet.interned_data
            self._names |= {row.iid: cut(words(row.name), LONGEST_NAME) for row in data.event_names}
            self._categories |= {
                row.iid: cut(words(row.name), LONGEST_LABEL) for row in data.event_categories
            }
            self._arguments |= {
                row.iid: cut(words(row.name), LONGEST_LABEL) for row in data.debug_annotation_names
            }
            self._strings |= {
                row.iid: cut(words(row.str), LONGEST_VALUE)
                for row in data.debug_annotation_string_values
            }

    def slice(self, event: Any) -> Slice:  # noqa: ANN401 - a protobuf message
        """Name, category and arguments of a track event."""
        name = words(event.name) or self._names.get(event.name_iid, "")
        categories = [
            *map(words, event.categories),
            *(self._categories.get(i, "") for i in event.category_iids),
        ]
        args = dict(self._argument(row) for row in event.debug_annotations)
        return Slice(name, categories[0] if categories else "", args)

    def _argument(self, row: Any) -> tuple[str, Any]:  # noqa: ANN401 - a protobuf message
        """Name and value; None for nested values, which are not kept."""
        name = words(row.name) or self._arguments.get(row.name_iid, "")
        kind = row.WhichOneof("value")
        if kind == "string_value_iid":
            return name, self._strings.get(row.string_value_iid)
        value = getattr(row, kind) if kind in VALUES else None
        return name, words(value) if isinstance(value, bytes) else value
