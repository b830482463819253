"""The block pool: reservations are honoured, and a block has one owner until it is given back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, invariant, rule

from engine.kv.pool import BlockPool, PoolError, blocks_for

SIZE, BLOCK = 12, 4


@given(st.integers(0, 500), st.integers(1, 64))
def test_blocks_hold_the_positions_and_no_block_is_spare(positions, block_size):
    blocks = blocks_for(positions, block_size)
    assert blocks * block_size >= positions > (blocks - 1) * block_size


def test_a_pool_starts_fragmented_and_alike_for_one_seed():
    pools = [BlockPool(32, 16, seed) for seed in (1, 1, 2)]
    assert sorted(pools[0].free) == list(range(32)) != pools[0].free
    assert pools[0].free == pools[1].free != pools[2].free


def test_a_request_takes_no_more_than_it_reserved():
    pool = BlockPool(SIZE, BLOCK)
    blocks = []
    assert pool.admit("a", 2)
    pool.grow("a", blocks, 8)
    with pytest.raises(PoolError, match="request a takes more KV blocks than it reserved"):
        pool.grow("a", blocks, 9)
    assert len(blocks) == 2


def test_blocks_that_are_promised_are_promised_once():
    pool = BlockPool(SIZE, BLOCK)
    assert pool.admit("a", 10)
    assert not pool.admit("b", 3)
    assert pool.admit("b", 2)
    assert pool.in_use == 0


def test_a_second_release_is_refused_and_changes_nothing():
    pool = BlockPool(SIZE, BLOCK)
    blocks = []
    pool.admit("a", 2)
    pool.grow("a", blocks, 5)
    pool.release("a", blocks)
    with pytest.raises(PoolError, match="blocks of request a are released twice"):
        pool.release("a", blocks)
    assert (sorted(pool.free), pool.promised) == (list(range(SIZE)), 0)


def test_releasing_another_requests_block_is_refused():
    pool = BlockPool(SIZE, BLOCK)
    mine, other = [], []
    pool.admit("a", 2)
    pool.admit("b", 2)
    pool.grow("a", mine, 5)
    pool.grow("b", other, 5)
    with pytest.raises(PoolError, match=f"block {other[0]} does not belong to request a"):
        pool.release("a", [*mine, other[0]])


class Pool(RuleBasedStateMachine):
    """Requests come, grow and go in any order; the books of the pool must stay right."""

    requests = Bundle("requests")

    def __init__(self):
        super().__init__()
        self.pool = BlockPool(SIZE, BLOCK)
        self.held = {}
        self.promised = {}
        self.count = 0

    @rule(target=requests, blocks=st.integers(0, 6))
    def admit(self, blocks):
        name = f"r{self.count}"
        self.count += 1
        room = SIZE - sum(self.promised.values())
        assert self.pool.admit(name, blocks) == (blocks <= room)
        if blocks <= room:
            self.held[name], self.promised[name] = [], blocks
        return name

    @rule(name=requests, positions=st.integers(0, 30))
    def grow(self, name, positions):
        blocks = self.held.get(name, [])
        before, fits = list(blocks), blocks_for(positions, BLOCK) <= self.promised.get(name, 0)
        if fits:
            self.pool.grow(name, blocks, positions)
            assert blocks[: len(before)] == before
            assert len(blocks) == max(len(before), blocks_for(positions, BLOCK))
        else:
            with pytest.raises(PoolError):
                self.pool.grow(name, blocks, positions)
            assert blocks == before

    @rule(name=consumes(requests))
    def release(self, name):
        if name in self.held:
            self.pool.release(name, self.held.pop(name))
            del self.promised[name]
        else:
            with pytest.raises(PoolError):
                self.pool.release(name, [])

    @invariant()
    def every_block_is_somewhere_exactly_once(self):
        taken = [block for blocks in self.held.values() for block in blocks]
        assert sorted([*taken, *self.pool.free]) == list(range(SIZE))
        assert self.pool.owner == {b: name for name, blocks in self.held.items() for b in blocks}
        assert self.pool.in_use == len(taken) <= self.pool.peak_in_use

    @invariant()
    def what_is_promised_and_not_yet_taken_is_free(self):
        taken = sum(len(blocks) for blocks in self.held.values())
        assert self.pool.promised == sum(self.promised.values()) - taken
        assert self.pool.promised <= len(self.pool.free)


TestPool = Pool.TestCase
