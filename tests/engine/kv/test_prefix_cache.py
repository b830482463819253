"""The prefix cache: a block is found by all tokens up to its end, and kept while there is room."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.kv.pool import BlockPool
from engine.kv.prefix_cache import PrefixCache, chained_key

tokens = st.lists(st.integers(0, 255), min_size=1, max_size=8)


@given(st.lists(tokens, min_size=1, max_size=3), st.lists(tokens, min_size=1, max_size=3))
def test_a_key_stands_for_the_whole_beginning(one, other):
    keys = []
    for blocks in (one, other):
        key = b""
        for block in blocks:
            key = chained_key(key, block)
        keys.append(key)
    assert (keys[0] == keys[1]) == (one == other)


def test_of_two_blocks_with_the_same_content_the_first_is_found():
    cache = PrefixCache()
    cache.publish(3, b"key")
    cache.publish(4, b"key")
    assert cache.block_of == {b"key": 3}
    assert (cache.keep(3), cache.keep(4)) == (True, False)


def test_the_block_that_nobody_used_longest_is_evicted_first():
    cache = PrefixCache()
    for block in (5, 6, 7):
        cache.publish(block, bytes([block]))
        cache.keep(block)
    del cache.idle[5]
    cache.keep(5)
    assert [cache.evict() for _ in range(3)] == [6, 7, 5]
    assert cache.block_of == cache.key_of == {}
    with pytest.raises(KeyError, match="no idle block"):
        cache.evict()


def test_a_published_block_outlives_its_writer_and_its_readers():
    pool = BlockPool(2, 4)
    writer, reader = [], []
    pool.admit("writer", 1)
    pool.grow("writer", writer, 4)
    (block,) = writer
    pool.cache.publish(block, b"key")
    pool.admit("reader", 1)
    pool.share("reader", reader, block)
    pool.release("writer", writer)
    assert (pool.in_use, pool.holders) == (1, {block: {"reader"}})
    pool.release("reader", reader)
    assert (pool.in_use, pool.available, list(pool.cache.idle)) == (0, 2, [block])
    pool.admit("third", 2)
    taken = []
    pool.grow("third", taken, 8)
    assert sorted(taken) == [0, 1]
    assert pool.cache.block_of == {}
