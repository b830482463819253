"""Text to token ids and back: one id a byte of UTF-8, plus two markers.

The markers are control bytes that no text contains: `BOS` opens a sequence and
`EOS` closes it. Id 0 is kept free as well: the engine uses it as the placeholder
that carry-over fills in on the device.

What this module does not do: hide faults. A control byte that reaches the text
is shown as its Unicode picture, so a placeholder or a token past the end is seen.
"""

from collections.abc import Iterable

PLACEHOLDER = 0
"""The id that stands for "not known on the host yet"; never part of a text."""
BOS = 2
"""Opens every sequence (STX)."""
EOS = 3
"""Closes every text (ETX)."""
VOCAB = 256

_RESERVED = [chr(i) for i in (PLACEHOLDER, BOS, EOS)]
_VISIBLE_CONTROLS = {i: 0x2400 + i for i in range(32) if chr(i) not in "\t\n"} | {127: 0x2421}


def encode(text: str) -> list[int]:
    """The ids of `text` behind a `BOS`.

    Raises ValueError when the text holds a byte that the model uses as a marker,
    or half of a surrogate pair, which UTF-8 cannot write.
    """
    reserved = [marker for marker in _RESERVED if marker in text]
    if reserved:
        raise ValueError(
            f"The prompt contains the control character U+{ord(reserved[0]):04X}, which the "
            "model uses as a marker; remove it from the prompt."
        )
    try:
        return [BOS, *text.encode("utf-8")]
    except UnicodeEncodeError as error:
        raise ValueError(
            f"The prompt cannot be written as UTF-8 (character {error.start + 1} is half of a "
            "surrogate pair); remove that character."
        ) from None


def decode(ids: Iterable[int]) -> str:
    """The text of `ids`: one leading `BOS` and one closing `EOS` are dropped, anything odd shown.

    Bytes that form no UTF-8 become U+FFFD. Raises ValueError for an id outside 0..255.
    """
    ids = list(ids)
    start = 1 if ids[:1] == [BOS] else 0
    stop = len(ids) - 1 if ids[start:] and ids[-1] == EOS else len(ids)
    if any(not 0 <= token < VOCAB for token in ids):
        raise ValueError(f"Token ids lie between 0 and {VOCAB - 1}; check where these came from.")
    return bytes(ids[start:stop]).decode("utf-8", errors="replace").translate(_VISIBLE_CONTROLS)
