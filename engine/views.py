"""What the kernels of one pass see of a slot's inputs.

A batch that is launched kernel by kernel sees its own rows; a captured graph sees the rows
it was captured for and learns from device memory which of them are in use
(`engine.graphs.GraphViews`).

What this module does not know: kernels, and what they compute.
"""

import msgspec
import torch

from engine.device.buffer import Buffer
from engine.oplog import Access, row_mask, rows_mask


class Views(msgspec.Struct, frozen=True, eq=False):
    """T token rows and R request rows from row `first` on; B columns of the block table.

    The tokens they sample go to `ring_rows` places in a ring, from `ring_start` on.
    """

    inputs: dict[str, Buffer]
    tokens: int
    rows: int
    columns: int
    ring_start: int
    ring_rows: int
    first: int = 0
    steered: bool = False

    def read(self, label: str) -> Access:
        """An access to the rows seen of one input."""
        count = self.tokens if label in ("tokens", "places") else self.rows
        return self.part_of(self.inputs[label], count)

    def part_of(self, buffer: Buffer, count: int) -> Access:
        """An access to the first `count` rows seen of a buffer."""
        if not self.first:
            return buffer.first(count)
        return buffer.rows(row_mask(self.first, self.first + count))

    @property
    def samples(self) -> int:
        """How many token rows are sampled."""
        return self.rows

    def control(self) -> tuple[Access, ...]:
        """What else is read to know which rows are in use."""
        return ()

    def token_ids(self) -> torch.Tensor:
        """[T] int64"""
        return self.inputs["tokens"].tensor[self.first : self.first + self.tokens]

    def places(self) -> torch.Tensor:
        """[T, 3]: position, request row, place in the carry ring."""
        return self.inputs["places"].tensor[self.first : self.first + self.tokens]

    def sampling(self) -> torch.Tensor:
        """[R, 3]: token row to sample, request seed, output position."""
        return self.rows_of("sampling")

    def table(self) -> torch.Tensor:
        """[R, B]: the blocks of every request row."""
        return self.rows_of("block_table")[:, : self.columns]

    def rows_of(self, label: str) -> torch.Tensor:
        """[R, ...]: the request rows of another input tensor."""
        return self.inputs[label].tensor[self.first : self.first + self.rows]

    def for_each_sample(self, label: str) -> torch.Tensor:
        """[samples, ...]: an input's row for each token sampled."""
        return self.rows_of(label)

    def numbers(self, stop: int, start: int = 0) -> torch.Tensor:
        """start, start + 1, ... before `stop`, where the inputs are."""
        return torch.arange(start, stop, device=self.inputs["tokens"].tensor.device)

    def live(self) -> torch.Tensor | None:
        """[R] bool: the rows in use; None when all are."""
        return None

    def ring_places(self) -> torch.Tensor | None:
        """[R]: where in the ring the sampled tokens go; None where they do not go at once."""
        return (self.numbers(self.rows) + self.ring_start) % self.ring_rows

    def ring_mask(self, ring_start: int, count: int) -> int:
        """The places of `count` rows as a mask, where the batch's first row has `ring_start`."""
        start = (ring_start + self.first) % self.ring_rows
        if start + count <= self.ring_rows:
            return row_mask(start, start + count)
        return rows_mask(place % self.ring_rows for place in range(start, start + count))
