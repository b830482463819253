"""Small JSON files by people: read once, in one way, refused in one sentence."""

import json
import os
from pathlib import Path


def read_json(source: str, missing: str, error: type[ValueError]) -> object:
    """The decoded content of the file `source`, with or without a byte order mark.

    Raises `error` with the sentence `missing` where there is no such file, and with one that
    says why where it cannot be read.
    """
    if not os.path.isfile(source):
        raise error(missing)
    try:
        return json.loads(Path(source).read_text(encoding="utf-8-sig"))
    except (OSError, ValueError, RecursionError) as reason:
        raise error(f"{source}: not a readable JSON file ({reason})") from None


def is_utf8(text: str) -> bool:
    """False for text with half of a surrogate pair: JSON can spell it, and no file can hold it."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
