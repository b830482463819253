"""Rows of ended requests that are not cleared: what they look like, and what they do."""

from engine import configure, execute
from engine.requests.request import Request
from engine.stale_rows import StaleRows


def ended(blocks, tokens=2):
    return Request(
        "r", [2, 97, 98], 9, scheduled=tokens, tokens=[99] * tokens, blocks=blocks, finished=True
    )


def test_a_cleared_row_leaves_nothing():
    stale = StaleRows("cleared", 4)
    stale.leave(ended([5, 6]))
    assert stale.rows(1, 0, 9) == []


def test_a_kept_row_goes_on_in_its_old_blocks_until_their_end():
    stale = StaleRows("kept", 4)
    request = ended([5, 6])
    stale.leave(request)
    request.blocks.clear()
    rows = [row for step in range(9) for row in stale.rows(step, 3, 9)]
    assert [row.start for row in rows] == [4, 5, 6, 7]
    assert all(row.request.blocks == [5, 6] and row.request is not request for row in rows)
    assert stale.launched == []


def test_a_kept_row_gives_way_to_living_ones():
    stale = StaleRows("kept", 4)
    for _ in range(2):
        stale.leave(ended([5, 6]))
    assert [len(stale.rows(1, 0, most)) for most in (-1, 0, 1, 2)] == [0, 0, 1, 2]


def test_the_ledger_names_a_block_that_its_writer_does_not_own():
    result = execute(configure("stale-rows"))
    assert all("does not own" in sentence for sentence in result.invariants)
    assert result.invariants
    assert result.token_diff.count > 0


def test_a_kept_row_that_finds_its_blocks_free_hurts_nobody():
    """The requests of `independent` have one token and the pool much room: no block goes over."""
    result = execute(configure("async", set={"row_invalidate": "kept"}, workload="independent"))
    assert result.token_diff.count == 0
