"""Writing only the rows that are in use, where device memory alone knows which these are.

`target[live] = values[live]` would ask the device how many rows are in use, and the host would
wait for the answer; so would a captured graph, which has no host. What is written here is of one
size whatever `live` says: a row that is not in use writes once more what the nearest row in use
before it writes (or the first one). In the end memory holds the same.

What this module does not know: what rows mean.
"""

import torch
from torch import Tensor


def write_live(target: Tensor, values: Tensor, live: Tensor | None) -> None:
    """Row i of `values` to row i of `target`, where `live` [R] says so (None: everywhere)."""
    if live is not None:
        wide = live.view(-1, *[1] * (values.dim() - 1))
        values = torch.where(wide, values.to(target.dtype), target)
    target.copy_(values)


def put_live(target: Tensor, places: Tensor, values: Tensor, live: Tensor | None) -> None:
    """Row i of `values` to row places[i] of `target`, where `live` [R] says so (None: everywhere).

    Where two rows in use go to one place the later one stays, as if the others were not there.
    """
    if live is not None:
        numbers = torch.arange(len(live), device=live.device)
        before = torch.where(live, numbers, -1).cummax(0).values
        chosen = torch.where(before < 0, live.long().argmax(), before)
        places = places.index_select(0, chosen)
        kept = target.index_select(0, places)  # where no row at all is in use
        values = torch.where(live.any(), values.index_select(0, chosen), kept)
    target.index_copy_(0, places, values)
