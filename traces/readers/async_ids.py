"""Which asynchronous events belong together: those of one category and id, in its scope.

`id` and `id2.local` are a process's own; one that `id2.global` names may begin in one process and
end in another.
"""

from collections.abc import Hashable
from functools import lru_cache

import msgspec

from traces.readers.event_repair import Event, Scalar


class _ScopedId(msgspec.Struct, gc=False):
    """`id2` of an event."""

    everywhere: Scalar = msgspec.field(default=None, name="global")
    local: Scalar = None


_decode = msgspec.json.Decoder(_ScopedId).decode


def async_id(event: Event) -> Hashable:
    """A key that is the same for all events of one asynchronous track, and for no other."""
    if not event.id2:
        return event.pid, event.cat, event.id
    everywhere, own = _scoped(bytes(event.id2))
    if everywhere is not None:
        return event.cat, everywhere
    return event.pid, event.cat, event.id, own


@lru_cache(maxsize=4096)
def _scoped(id2: bytes) -> tuple[Scalar, Hashable]:
    """The global id, and the process's own; where it is no such object, all of it is the latter."""
    try:
        found = _decode(id2)
    except (msgspec.DecodeError, RecursionError):
        return None, id2
    return found.everywhere, found.local
