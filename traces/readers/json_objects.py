"""The objects of one array in JSON text that may be damaged or cut off."""

import re
from collections.abc import Iterator

from traces.readers.event_repair import GAP, WINDOW_BYTES, closing_brace
from traces.readers.source import Bytes


def objects_of(text: Bytes, key: str, start: int = 0) -> Iterator[bytes]:
    """The objects of the first array under `key` behind byte `start`, up to its end or to the
    first that is not whole."""
    match = re.compile(rb'"%s"\s*:\s*\[' % re.escape(key.encode())).search(text, start)
    if match is None:
        return
    at = match.end()
    while (gap := GAP.match(text, at)) and text[gap.end() : gap.end() + 1] == b"{":
        at = closing_brace(text, gap.end(), gap.end() + WINDOW_BYTES)
        if at < 0:
            return
        yield text[gap.end() : at]
