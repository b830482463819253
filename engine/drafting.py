"""Speculative decoding, the device's side: drafts are placed, verified and found there.

The host launches a batch before it knows how many drafts the batch before has accepted. So
the device keeps, for each seat, the text of the request (`history`), its length and the next
drafts, and three kernels stand around the forward pass. *place* moves the rows to their true
positions and puts the drafts in. *verify* accepts the longest prefix of the drafts that equals
what the model itself chose, and appends it and one token more to the history. *draft* finds the
next drafts by prompt lookup (Saxena 2023): where the last few tokens stood before, take
what followed. Drafts change how many tokens a step gives, never which.

Shapes: R request rows, k drafts, S = R * (1 + k) sampled rows, W places of a history.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from engine.device.api import Body, Commit, Device, Kernel
from engine.device.buffer import Buffer
from engine.live_rows import put_live
from engine.oplog import Access, rows_mask
from engine.requests.request import Row
from engine.requests.steering import STEERING
from engine.views import Views
from engine.workloads.workload import Workload

PATTERNS = (2, 3)
"""How many last tokens are looked up; a longer match is preferred."""


class DraftViews(Views, frozen=True, eq=False):
    """What the model's kernels see where rows have up to k drafts: what *place* has written."""

    k: int = 0

    @property
    def samples(self) -> int:
        """How many token rows are sampled: S."""
        return self.rows * (1 + self.k)

    def read(self, label: str) -> Access:
        """As in `Views`; a sampled row is read for each token."""
        if label in ("sampling", *STEERING):
            return self.inputs[label].first(self.samples)
        return Views.read(self, label)

    def sampling(self) -> Tensor:
        """[S, 3]: token row to sample, request seed, output position."""
        return self.for_each_sample("sampling")

    def for_each_sample(self, label: str) -> Tensor:
        """[S, ...]: an input's row for each token sampled."""
        return self.inputs[label].tensor[: self.samples]

    def ring_places(self) -> None:
        """*verify* chooses the token that goes to the ring."""
        return


def accepted_drafts(drafts: Tensor, sampled: Tensor) -> Tensor:
    """[R] how many drafts [R, k] are accepted, -1 being none: the longest prefix that equals what
    the model itself sampled [R, 1 + k]."""
    agree = drafts == sampled[:, :-1]
    return agree.long().cumprod(1).sum(1)


@dataclass(slots=True)
class Drafting:
    """Buffers of the device, and the kernels that work on them; `k` drafts a row at most. `accept`
    says how many of them count: an exercise puts a student's function there."""

    k: int
    history: Buffer
    lengths: Buffer
    drafts: Buffer
    places: Buffer
    """[T, 3] as the input of that name, with true positions"""
    sampling: Buffer
    """[S, 3] as the input of that name, a row for each token of a decode row"""
    sampled: Buffer
    accept: Callable[[Tensor, Tensor], Tensor] = accepted_drafts

    def views(self, views: Views) -> DraftViews:
        """The inputs as the model's kernels read them: with what *place* made of two of them."""
        inputs = views.inputs | {"places": self.places, "sampling": self.sampling}
        return DraftViews(
            inputs, views.tokens, views.rows, views.columns, views.ring_start, views.ring_rows,
            steered=views.steered, k=self.k,
        )  # fmt: skip

    def place(
        self, views: Views, launched: Sequence[Row], ids: Buffer, bodies: dict[str, Body]
    ) -> Kernel:
        """True positions, drafts and sampled rows, from the host's inputs and the tables."""
        given, tokens = self.views(views), ids.first(views.tokens)
        seats = rows_mask(row.request.seat for row in launched)
        reads = (
            tokens, views.read("places"), views.read("sampling"),
            self.lengths.rows(seats), self.drafts.rows(seats),
        )  # fmt: skip
        writes = (
            tokens, given.read("places"), given.read("sampling"),
            self.history.rows(seats), self.lengths.rows(seats),
        )  # fmt: skip
        return Kernel("place", "carry", reads, writes, bodies.get("place"), views.tokens)

    def verify_and_draft(
        self, views: Views, launched: Sequence[Row], ids: Buffer, results: tuple[Access, ...],
        bodies: dict[str, Body],
    ) -> list[Kernel]:  # fmt: skip
        """What follows the sampling: the `results`, and the next drafts."""
        seats = rows_mask(row.request.seat for row in launched)
        params, lengths = views.read("sampling"), self.lengths.rows(seats)
        history, drafted = self.history.rows(seats), (self.drafts.rows(seats), results[0])
        reads = (
            self.sampled.first(self.views(views).samples), ids.first(views.tokens), params, lengths
        )  # fmt: skip
        return [
            Kernel("verify", "sample", reads, (*results, history, lengths), bodies.get("verify")),
            Kernel("draft", "sample", (params, history, lengths), drafted, bodies.get("draft")),
        ]

    def bodies(self, views: Views, ids: Buffer, out: Buffer, ring: Buffer) -> dict[str, Body]:
        """What the three kernels compute, by their names."""
        return {
            "place": self._place_body(views, ids),
            "verify": self._verify_body(views, ids, out, ring),
            "draft": self._draft_body(views, out),
        }

    def _place_body(self, views: Views, ids: Buffer) -> Body:
        size, count, k = views.tokens, views.rows, self.k

        def body() -> Commit:
            last, seed, output, seats, drafts = self._params(views)
            places = views.places().clone()
            first = (last - drafts).clamp(0, size - 1)
            rows = places[:, 1].clamp(0, count - 1)
            carried = places[first, 2] >= 0
            shift = torch.where(carried, self.lengths.tensor[seats] - 1 - places[first, 0], 0)
            places[:, 0] += shift[rows]
            offset = views.numbers(size) - first[rows] - 1
            is_draft = (offset >= 0) & (drafts > 0)[rows]
            drafted = self.drafts.tensor[seats[rows], offset.clamp(0, k - 1)]
            tokens = torch.where(is_draft, drafted, ids.tensor[:size])
            number = views.numbers(1 + k)
            sampling = torch.stack(
                (
                    first[:, None] + number.minimum(drafts[:, None]),
                    seed[:, None].expand(-1, 1 + k),
                    (output + shift)[:, None] + number,
                ),
                -1,
            )
            where = places[:, 0].clamp(0, self.history.tensor.shape[1] - 1)

            def commit() -> None:
                ids.tensor[:size] = tokens
                self.places.tensor[:size] = places
                self.sampling.tensor[: count * (1 + k)] = sampling.flatten(0, 1)
                self._note(seats[rows], where, tokens, ~is_draft)
                self.lengths.tensor[seats] = where[first] + 1

            return commit

        return body

    def _verify_body(self, views: Views, ids: Buffer, out: Buffer, ring: Buffer) -> Body:
        count = views.rows

        def body() -> Commit:
            last, _, _, seats, drafts = self._params(views)
            tokens = self.sampled.tensor[: count * (1 + self.k)].view(count, -1)
            number = views.numbers(1 + self.k)
            places = (last - drafts)[:, None] + number[1:]
            guessed = ids.tensor[places.clamp(0, ids.info.rows - 1)]
            guessed = torch.where(number[:-1] < drafts[:, None], guessed, -1)
            accepted = self.accept(guessed, tokens)[:, None]
            result = torch.cat((1 + accepted, (guessed >= 0).sum(1, keepdim=True), tokens), 1)
            new = number <= accepted
            length = self.lengths.tensor[seats]
            where = (length[:, None] + number).clamp(0, self.history.tensor.shape[1] - 1)
            carried = tokens.gather(1, accepted).squeeze(1)

            def commit() -> None:
                out.tensor[:count, : -self.k] = result
                ring.tensor[views.ring_places()] = carried
                self._note(seats[:, None].expand_as(where), where, tokens, new)
                self.lengths.tensor[seats] = length + 1 + accepted.squeeze(1)

            return commit

        return body

    def _draft_body(self, views: Views, out: Buffer) -> Body:

        def body() -> Commit:
            seats = self._params(views)[3]
            found = lookup(self.history.tensor[seats], self.lengths.tensor[seats], self.k)

            def commit() -> None:
                self.drafts.tensor[seats] = found
                out.tensor[: views.rows, -self.k :] = found

            return commit

        return body

    def _note(self, seats: Tensor, where: Tensor, tokens: Tensor, wanted: Tensor) -> None:
        """Put the tokens that are wanted into the texts, at these places of these seats."""
        history = self.history.tensor
        places = (seats * history.shape[1] + where).flatten()
        put_live(history.view(-1), places, tokens.flatten(), wanted.flatten())

    def _params(self, views: Views) -> tuple[Tensor, ...]:
        """The columns of the host's sampling input, safe to index with: each [R]."""
        last, seed, output, seats, drafts = views.sampling().unbind(1)
        seats = seats.clamp(0, self.lengths.info.rows - 1)
        return last, seed, output, seats, drafts.clamp(0, self.k)


def lookup(history: Tensor, lengths: Tensor, k: int) -> Tensor:
    """[R, k] drafts for texts in history [R, W] of these lengths [R]; -1 where there are none.

    What followed the latest place at which the text's last tokens stood before; where that
    runs into the end of the text, it goes on as if the text repeated itself.
    """
    follows = torch.zeros_like(lengths)
    for size in PATTERNS:
        back = torch.arange(-size, 0, device=lengths.device)
        tail = (lengths[:, None] + back).clamp(0, history.shape[1] - 1)
        windows = history.unfold(1, size, 1)
        after = torch.arange(size, history.shape[1] + 1, device=lengths.device)
        same = (windows == history.gather(1, tail)[:, None]).all(-1)
        latest = (after * (same & (after < lengths[:, None]))).amax(1)
        follows = torch.where(latest > 0, latest, follows)
    period = (lengths - follows).clamp(1)[:, None]
    places = follows[:, None] + torch.arange(k, device=lengths.device) % period
    drafts = history.gather(1, places.clamp(0, history.shape[1] - 1))
    return torch.where(follows[:, None] > 0, drafts, -1)


def make_drafting(device: Device, workload: Workload, k: int) -> Drafting:
    """Allocate the tables of `workload.batch` seats for texts of any length that can occur."""
    rows, tokens = workload.batch, workload.max_batched_tokens
    sampled = rows * (1 + k)
    return Drafting(
        k,
        device.buffer("drafts", "history", (rows, workload.longest_request + 1 + k)),
        device.buffer("drafts", "lengths", (rows,)),
        device.buffer("drafts", "drafts", (rows, k)),
        device.buffer("activations", "places", (tokens, 3)),
        device.buffer("activations", "sampling", (sampled, 3)),
        device.buffer("activations", "sampled", (sampled,)),
    )
