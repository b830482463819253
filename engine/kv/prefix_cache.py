"""The prefix cache: full KV blocks found again by the tokens they hold.

A block's key is a chained hash: of its tokens and of the key of the block before, so that one
key stands for the whole beginning of a text. A published block that nobody holds any more
stays idle, in the order of its release, until the pool needs the room.

What this module does not know: who holds a block (`engine.kv.pool`), when one may be published
(`engine.requests.lifecycle`).
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from xxhash import xxh3_128_digest


def chained_key(before: bytes, tokens: Sequence[int]) -> bytes:
    """The key of a block that holds `tokens` (ids 0..255) behind the block with key `before`."""
    return xxh3_128_digest(before + bytes(tokens))


@dataclass(slots=True)
class PrefixCache:
    """Published blocks by key, and those of them that nobody holds, least recently used first."""

    block_of: dict[bytes, int] = field(default_factory=dict)
    key_of: dict[int, bytes] = field(default_factory=dict)
    idle: dict[int, None] = field(default_factory=dict)

    def publish(self, block: int, key: bytes) -> None:
        """Let others find `block`; where another block has the same content, that one stays."""
        if key not in self.block_of and block not in self.key_of:
            self.block_of[key] = block
            self.key_of[block] = key

    def keep(self, block: int) -> bool:
        """A block's last holder has let go: True when it stays here, for it is published."""
        if block not in self.key_of:
            return False
        self.idle[block] = None
        return True

    def evict(self) -> int:
        """Forget the least recently used idle block and return it. Raises KeyError if none is."""
        block = next(iter(self.idle), None)
        if block is None:
            raise KeyError("no idle block to evict")
        del self.idle[block]
        del self.block_of[self.key_of.pop(block)]
        return block
