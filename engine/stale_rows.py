"""Rows of ended requests that nobody cleared from the persistent batch (`row_invalidate`).

Such a row goes on as its request left it: one position further each step, with the block table
of that time, although the blocks have been released. It ends where that table does, and gives
way to rows of living requests.
"""

from dataclasses import dataclass, field
from dataclasses import replace as copy_of

from engine.requests.request import Request, Row


@dataclass(slots=True)
class StaleRows:
    """What is left of ended requests; nothing where rows are cleared. `launched` are the stale
    rows of the last batch."""

    row_invalidate: str
    block_size: int
    left: list[Request] = field(default_factory=list)
    launched: list[Row] = field(default_factory=list)

    def leave(self, request: Request) -> None:
        """A request that has ended leaves the batch, just before its blocks are released."""
        if self.row_invalidate == "kept":
            tokens, blocks = list(request.tokens), list(request.blocks)
            self.left.append(copy_of(request, finished=True, tokens=tokens, blocks=blocks))

    def rows(self, step: int, number: int, most: int) -> list[Row]:
        """At most `most` rows, numbered from `number`, that should not be in batch `step`."""
        self.launched = []
        if not self.left:
            return self.launched
        self.left = [ghost for ghost in self.left if self._has_room(ghost)]
        self.launched = [
            self._row(ghost, step, number + i) for i, ghost in enumerate(self.left[: max(0, most)])
        ]
        return self.launched

    def _has_room(self, ghost: Request) -> bool:
        return len(ghost.prompt) + ghost.scheduled <= len(ghost.blocks) * self.block_size

    def _row(self, ghost: Request, step: int, number: int) -> Row:
        output = ghost.scheduled
        ghost.scheduled += 1
        ghost.in_flight += 1
        ghost.last_step, ghost.last_row = step, number
        start = len(ghost.prompt) + output - 1
        return Row(ghost, start, 1, True, [(ghost.tokens or ghost.prompt)[-1]], -1, output)
