"""Static batching, to compare continuous batching with: a batch is closed once it has begun.

Its requests stay together until the last one has ended. The rows of those that ended before
stay as padding: they are computed like any other and nobody wants the result.
"""

from collections.abc import Sequence

from engine.model.tokenizer import PLACEHOLDER
from engine.requests.request import Request, Row


def is_closed(running: Sequence[Request]) -> bool:
    """True when a batch is under way, so that nobody may join."""
    return any(request.prefilled for request in running)


def is_over(running: Sequence[Request]) -> bool:
    """True when every request of the batch has ended and no launched row is left of it."""
    return all(request.finished and not request.in_flight for request in running)


def padding_rows(running: Sequence[Request]) -> list[Row]:
    """A row for each request of the batch that has no token left to schedule.

    It computes the request's last position again, in a block that is the request's own, so
    that padding needs no memory. It samples nothing: what comes out is thrown away.
    """
    return [_padding_row(r) for r in running if r.blocks and not r.is_live]


def _padding_row(request: Request) -> Row:
    request.in_flight += 1
    last = len(request.prompt) + request.output - 2
    return Row(request, last, 1, False, [PLACEHOLDER], -1, request.output)
