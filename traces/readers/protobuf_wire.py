"""The outer layer of protobuf messages, as far as a file of many packets needs it.

A library would decode the whole file at once, and nothing of a file that was cut off.
"""

from collections.abc import Iterator

from traces.readers.source import Bytes

PACKET_TAG = 0x0A
"""Field 1, length-delimited: how a list of packets is written."""

VARINT, FIXED64, LENGTH, FIXED32 = 0, 1, 2, 5
MAX_VARINT_BYTES = 10


def varint(data: Bytes, at: int) -> tuple[int, int]:
    """The number at byte `at` and the byte behind it. Raises ValueError if it is cut off or
    too long."""
    value = 0
    for place in range(MAX_VARINT_BYTES):
        if at + place >= len(data):
            break
        byte = data[at + place]
        value |= (byte & 0x7F) << (7 * place)
        if byte < 0x80:
            return value, at + place + 1
    raise ValueError("no whole varint")


def packets(data: Bytes) -> Iterator[bytes]:
    """The packets of a file, up to the first that is not whole: then raises ValueError."""
    at = 0
    while at < len(data):
        if data[at] != PACKET_TAG:
            raise ValueError("not a packet")
        length, start = varint(data, at + 1)
        if start + length > len(data):
            raise ValueError("a packet is cut off")
        yield data[start : start + length]
        at = start + length


def field_numbers(message: bytes) -> Iterator[int]:
    """The numbers of a message's fields, as far as it can be read."""
    at = 0
    try:
        while at < len(message):
            tag, at = varint(message, at)
            yield tag >> 3
            if tag & 7 == VARINT:
                _, at = varint(message, at)
            elif tag & 7 == LENGTH:
                length, at = varint(message, at)
                at += length
            elif tag & 7 in (FIXED32, FIXED64):
                at += 4 if tag & 7 == FIXED32 else 8
            else:
                return
    except ValueError:
        return


def words(value: str | bytes) -> str:
    """A string of a message: one that is no UTF-8 comes as bytes."""
    return value if isinstance(value, str) else value.decode("utf-8", "replace")
