"""Continuous batching, step by step: who gets rows, in which order, with which input."""

from collections import defaultdict, deque
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.kv.pool import BlockPool
from engine.mechanisms.table import ASYNC
from engine.model.tokenizer import EOS, PLACEHOLDER
from engine.scheduler import Scheduler
from engine.workloads.workload import Prompt, Workload

RING = 97


def workload(*requests, **size):
    """`requests` are (prompt length, output length) or with an arrival step as the third."""
    prompts = tuple(Prompt("x" * (p - 1), n, "", *arrival) for p, n, *arrival in requests)
    return Workload(requests=prompts, **{"batch": 4, "max_batched_tokens": 16, **size})


class Engine:
    """The scheduler, and results that come `depth` - 1 steps later; `ends` says who meets EOS.

    A committed token is its position + 100, so that what is fed back can be told.
    """

    def __init__(self, work, depth=1, ends=None, **toggles):
        self.pool = BlockPool(work.kv_blocks, work.block_size)
        source = work.requests_for(0, None, endless=False)
        self.scheduler = Scheduler(work, replace(ASYNC, **toggles), source, self.pool, RING)
        self.depth, self.ends = depth, ends or {}
        self.step = 0
        self.in_flight = deque()
        self.batches = []

    def schedule(self):
        rows = list(self.scheduler.schedule(self.step))
        self.batches.append(rows)
        self.in_flight.append(rows)
        self.step += 1
        return rows

    def settle(self):
        for row in self.in_flight.popleft():
            request = row.request
            request.in_flight -= 1
            if row.samples and not request.finished:
                last = len(request.tokens) + 1 == self.ends.get(request.id)
                request.commit(EOS if last else 100 + len(request.tokens), self.step)
        self.scheduler.retire()

    def run(self):
        while True:
            if self.scheduler.ready(self.step):
                self.schedule()
                if len(self.in_flight) < self.depth:
                    continue
            elif not self.in_flight:
                return self
            self.settle()


def shape(rows):
    """(request, token rows) of a batch."""
    return [(row.request.id, row.count) for row in rows]


# ------------------------------------------------------------------ by example


def test_running_requests_decode_before_prompts_are_prefilled():
    engine = Engine(workload((3, 9), (3, 9), (30, 9), max_batched_tokens=8))
    assert shape(engine.schedule()) == [("r0", 3), ("r1", 3), ("r2", 2)]
    engine.settle()
    assert shape(engine.schedule()) == [("r0", 1), ("r1", 1), ("r2", 6)]


def test_a_long_prompt_is_cut_into_chunks_and_only_the_last_one_samples():
    engine = Engine(workload((20, 2), max_batched_tokens=8))
    in_prefill = [engine.schedule()[0].request.in_prefill for _ in range(3)]
    assert in_prefill == [True, True, False]
    rows = [row for (row,) in engine.run().batches]
    assert [(row.start, row.count, row.samples) for row in rows] == [
        (0, 8, False), (8, 8, False), (16, 4, True), (20, 1, True),
    ]  # fmt: skip


def test_rows_move_up_when_a_request_leaves():
    engine = Engine(workload((3, 1), (3, 4), (3, 4)))
    assert shape(engine.schedule()) == [("r0", 3), ("r1", 3), ("r2", 3)]
    engine.settle()
    assert shape(engine.schedule()) == [("r1", 1), ("r2", 1)]


def test_a_request_joins_when_a_row_is_free():
    engine = Engine(workload((3, 1), (3, 2), (3, 2), batch=2))
    assert shape(engine.schedule()) == [("r0", 3), ("r1", 3)]
    engine.settle()
    assert shape(engine.schedule()) == [("r1", 1), ("r2", 3)]


def test_a_request_joins_when_the_pool_can_promise_its_blocks():
    work = workload((8, 8), (8, 8), (8, 8), block_size=4, kv_blocks=9)
    engine = Engine(work)
    assert [row.request.id for row in engine.schedule()] == ["r0", "r1"]
    assert engine.pool.promised == 8
    engine.run()
    assert [len(r.tokens) for r in engine.scheduler.all_requests] == [8, 8, 8]
    assert (engine.pool.promised, engine.pool.in_use) == (0, 0)


def test_a_request_is_not_known_before_it_arrives():
    engine = Engine(workload((3, 6), (3, 2, 2))).run()
    assert [[row.request.id for row in rows] for rows in engine.batches[:3]] == [
        ["r0"], ["r0"], ["r0", "r1"],
    ]  # fmt: skip


def test_the_engine_does_not_idle_until_the_next_arrival():
    engine = Engine(workload((3, 1), (3, 1, 500))).run()
    assert [shape(rows) for rows in engine.batches] == [[("r0", 3)], [("r1", 3)]]


def test_the_length_is_checked_ahead_so_no_row_is_wasted():
    engine = Engine(workload((3, 4)), depth=3).run()
    assert sum(row.samples for rows in engine.batches for row in rows) == 4


def test_eos_is_seen_late_and_the_requests_kv_is_kept_until_then():
    engine = Engine(workload((3, 9)), depth=2, ends={"r0": 1})
    engine.schedule()
    engine.schedule()
    request = engine.scheduler.running[0]
    engine.settle()
    assert request.finished and request.in_flight == 1
    assert engine.pool.promised
    assert not engine.scheduler.ready(engine.step)
    engine.settle()
    assert (engine.scheduler.running, engine.pool.promised) == ([], 0)


def test_a_token_on_its_way_is_found_by_request_in_the_ring_of_the_last_step():
    engine = Engine(workload((3, 1), (3, 4)), depth=2)
    engine.schedule()
    (row,) = engine.schedule()
    assert (row.token_ids, row.carry) == ([PLACEHOLDER], engine.scheduler.ring_place(0, 1))


def test_a_token_that_has_arrived_is_given_by_the_host():
    engine = Engine(workload((3, 4)))
    engine.schedule()
    engine.settle()
    (row,) = engine.schedule()
    assert (row.token_ids, row.carry) == ([100], -1)


def test_ring_places_of_batches_in_flight_differ():
    scheduler = Engine(workload((3, 1))).scheduler
    places = [scheduler.ring_place(step, row) for step in range(20, 24) for row in range(4)]
    assert len(set(places)) == 16
    assert all(0 <= place < RING for place in places)


@pytest.mark.parametrize(
    ("toggle", "token", "from_row"),
    [
        ({"carry": "none"}, PLACEHOLDER, None),
        ({"carry": "add"}, PLACEHOLDER, 1),
        ({"carry_key": "row"}, PLACEHOLDER, 0),
    ],
)
def test_each_broken_carry_over_takes_the_token_from_elsewhere(toggle, token, from_row):
    engine = Engine(workload((3, 1), (3, 4)), depth=2, **toggle)
    engine.schedule()
    (row,) = engine.schedule()
    place = -1 if from_row is None else engine.scheduler.ring_place(0, from_row)
    assert (row.token_ids, row.carry) == ([token], place)


def test_a_stale_placeholder_is_the_last_token_the_host_has_seen():
    engine = Engine(workload((3, 5)), depth=2, carry="add-stale")
    engine.schedule()
    engine.schedule()
    engine.settle()
    (row,) = engine.schedule()
    assert row.token_ids == [100]
    assert row.carry == engine.scheduler.ring_place(1, 0)


def test_a_leaked_partial_prefill_carries_what_a_chunk_sampled():
    engine = Engine(
        workload((20, 2), max_batched_tokens=8), carry_partial_prefill="leaked", depth=2
    )
    first, second = engine.schedule()[0], engine.schedule()[0]
    assert (first.carry, second.carry) == (-1, engine.scheduler.ring_place(0, 0))


@pytest.mark.parametrize(("metadata", "same"), [("snapshot", False), ("shared", True)])
def test_shared_metadata_is_one_list_for_all_batches(metadata, same):
    engine = Engine(workload((3, 4)), metadata=metadata)
    first = engine.scheduler.schedule(0)
    assert (engine.scheduler.schedule(1) is first) is same


# ---------------------------------------------------------------------- by law

requests = st.lists(
    st.tuples(st.integers(1, 30), st.integers(1, 12), st.integers(0, 20)), min_size=1, max_size=8
).map(lambda items: sorted(items, key=lambda item: item[2]))
sizes = st.fixed_dictionaries(
    {
        "batch": st.integers(1, 5),
        "max_batched_tokens": st.integers(5, 24),
        "block_size": st.sampled_from([1, 4, 16]),
        "kv_blocks": st.integers(42, 90),
    }
)
ends = st.dictionaries(st.integers(0, 7).map("r{}".format), st.integers(1, 12))


@settings(max_examples=200)
@given(requests, sizes, st.integers(1, 4), ends)
def test_every_schedule_keeps_the_rules(items, size, depth, ends):
    engine = Engine(workload(*items, **size), depth, ends).run()
    rows_of = defaultdict(list)
    for step, rows in enumerate(engine.batches):
        assert rows
        assert len(rows) <= size["batch"]
        assert sum(row.count for row in rows) <= size["max_batched_tokens"]
        prefilling = [row.start < len(row.request.prompt) for row in rows]
        assert prefilling == sorted(prefilling)  # decode first
        assert len({row.request.id for row in rows}) == len(rows)
        for number, row in enumerate(rows):
            rows_of[row.request.id].append((step, number, row))
    assert len(rows_of) == len(items)
    for (prompt, longest, _), request in zip(items, engine.scheduler.all_requests, strict=True):
        mine = rows_of[request.id]
        _check_positions([row for _, _, row in mine], prompt)
        _check_inputs(engine.scheduler, mine, prompt)
        assert len(request.tokens) == min(longest, ends.get(request.id, longest))
    assert (engine.pool.in_use, engine.pool.promised) == (0, 0)


def _check_positions(rows, prompt):
    """The positions run on without gap or overlap; samples start with the prompt's last."""
    assert rows[0].start == 0
    for row, following in pairwise(rows):
        assert following.start == row.start + row.count
    assert [row.samples for row in rows] == [row.start + row.count >= prompt for row in rows]
    outputs = [row.output for row in rows if row.samples]
    assert outputs == list(range(len(outputs)))


def _check_inputs(scheduler, mine, prompt):
    """A decode row gets the token the host knows, or the place where the last step left it."""
    for (before, number, _), (step, _, row) in pairwise(mine):
        if row.start < prompt:
            assert row.carry == -1
        elif row.carry == -1:
            assert row.token_ids == [100 + row.output - 1]
        else:
            assert before == step - 1
            assert row.carry == scheduler.ring_place(before, number)
            assert row.token_ids == [PLACEHOLDER]


@given(requests, sizes, ends)
def test_decode_rows_stand_in_the_order_of_joining(items, size, ends):
    engine = Engine(workload(*items, **size), 2, ends).run()
    joined = {request.id: i for i, request in enumerate(engine.scheduler.all_requests)}
    for rows in engine.batches:
        for prefill in (False, True):
            order = [
                joined[row.request.id]
                for row in rows
                if (row.start < len(row.request.prompt)) is prefill
            ]
            assert order == sorted(order)
