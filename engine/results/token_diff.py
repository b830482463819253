"""Output tokens against those of the synchronous baseline, position by position."""

from collections.abc import Sequence
from dataclasses import dataclass

from engine.requests.request import Request


@dataclass(frozen=True)
class TokenDiff:
    """What differs. `first_step` is -1 when all is right.

    `wrong` maps request id to the positions whose token differs, is missing or is too many;
    `total` counts the positions that either run has.
    """

    wrong: dict[str, list[int]]
    total: int
    first_step: int

    @property
    def count(self) -> int:
        """Wrong tokens of all requests."""
        return sum(len(positions) for positions in self.wrong.values())


def diff_tokens(
    requests: Sequence[Request], truth: Sequence[Request], steps: int, cut: bool
) -> TokenDiff:
    """Compare the requests of a run of `steps` steps with those of its baseline.

    `cut` says that the run was to end before its requests did: then only what both have of a
    request is compared. Requests that were cancelled or failed in either run are left out.
    """
    expected_by_id = {request.id: request.tokens for request in truth}
    got_by_id = {request.id: request.tokens for request in requests}
    cut_off = {r.id for r in (*requests, *truth) if r.cancelled or r.failed}
    wrong: dict[str, list[int]] = {}
    total = 0
    for name in dict.fromkeys([*expected_by_id, *got_by_id]):
        if name in cut_off:
            continue
        expected, got = expected_by_id.get(name, []), got_by_id.get(name, [])
        shared = min(len(expected), len(got))
        longest = shared if cut else max(len(expected), len(got))
        positions = [i for i in range(shared) if expected[i] != got[i]]
        positions += range(shared, longest)
        total += longest
        if positions:
            wrong[name] = positions
    return TokenDiff(wrong, total, _first_step(requests, steps, wrong))


def _first_step(requests: Sequence[Request], steps: int, wrong: dict[str, list[int]]) -> int:
    """The step that committed the first wrong token, or would have (-1: none)."""
    found = []
    for request in requests:
        if request.id in wrong:
            committed = request.committed_at
            position = wrong[request.id][0]
            found.append(committed[position] if position < len(committed) else steps)
    return min(found, default=-1)
