"""How a request's two ends, EOS and its longest length, bound the rows it gets.

The host learns of an end when it commits, up to `depth` - 1 batches after it happened. What
was launched meanwhile is wasted (`Ledger.wasted_rows`), but it must have KV blocks to write to.
"""

from engine.mechanisms.table import Mechanisms
from engine.requests.request import Request


def late_rows(mechanisms: Mechanisms) -> int:
    """Rows a request may get past its last token: where its length is looked at only at
    commit, one in each of the other batches in flight."""
    return mechanisms.depth - 1 if mechanisms.length_check == "late" else 0


def bound_rows(request: Request, mechanisms: Mechanisms) -> None:
    """Set how many rows a new request may get, and whether EOS ends them."""
    request.row_limit = request.max_new_tokens + late_rows(mechanisms)
    request.runs_to_cap = mechanisms.eos_policy == "cap"
