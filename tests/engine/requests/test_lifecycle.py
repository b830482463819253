"""Requests join, make room, are cancelled and leave; blocks go back once, at the right moment."""

from dataclasses import replace

import pytest

from engine import configure, execute
from engine.workloads.presets import WORKLOADS
from engine.workloads.workload import Prompt, Workload
from tests.engine.stories import play
from tests.engine.test_scheduler import Engine, shape, workload


def on_demand(*requests, **size):
    return replace(workload(*requests, block_size=4, **size), admission="on-demand")


def held(engine):
    return {request.id: len(request.blocks) for request in engine.scheduler.running}


def test_on_demand_a_request_reserves_its_prompt_and_one_token():
    engine = Engine(on_demand((7, 40)))
    engine.schedule()
    assert engine.pool.promised == 2
    assert engine.scheduler.running[0].capacity == 8


def test_a_request_that_runs_out_of_room_extends_its_reservation():
    engine = Engine(on_demand((7, 9)))
    for _ in range(4):
        assert engine.scheduler.ready(engine.step)
        engine.schedule()
        engine.settle()
    assert engine.pool.promised == 3
    engine.run()
    assert (engine.pool.in_use, engine.pool.promised) == (0, 0)


def test_the_youngest_is_preempted_and_goes_back_to_the_front_of_the_queue():
    work = on_demand((7, 20), (7, 20), (7, 20), kv_blocks=7)
    engine = Engine(work, reserve="ignores")
    while not engine.scheduler.preemption.count:
        engine.scheduler.ready(engine.step)
        engine.schedule()
        engine.settle()
    assert [request.id for request in engine.scheduler.running] == ["r0", "r1"]
    first = engine.scheduler.waiting[0]
    assert (first.id, first.in_prefill, first.prefilled) == ("r2", True, 0)
    assert first.context == first.prompt + first.tokens
    engine.run()
    assert [len(request.tokens) for request in engine.scheduler.all_requests] == [20, 20, 20]
    assert (engine.pool.in_use, engine.pool.promised) == (0, 0)


@pytest.mark.parametrize(("discard", "left"), [("exact", 1), ("nothing", 0), ("too-much", 2)])
def test_what_a_preempted_request_has_in_flight_is_called_off(discard, left):
    engine = Engine(on_demand((7, 20)), depth=2, preempt_discard=discard)
    engine.schedule()
    (request,) = engine.scheduler.running
    engine.scheduler.preemption.preempt(request)
    assert (request.scheduled, request.called_off, request.output) == (1, 1, 0)
    assert request.discard == left
    assert not engine.scheduler.ready(engine.step)  # its last batch is not done


def test_the_plan_counts_tokens_in_flight_when_a_request_joins():
    work = on_demand((7, 8), (7, 8), kv_blocks=9, max_batched_tokens=16)
    joined = {
        reserve: [request for request, _ in shape(Engine(work, reserve=reserve).schedule())]
        for reserve in ("counts-in-flight", "ignores")
    }
    assert joined == {"counts-in-flight": ["r0"], "ignores": ["r0", "r1"]}


def test_over_admission_makes_more_preemptions():
    counts = [
        execute(configure("async", workload="recompute", set={"reserve": reserve}, compute=False))
        .parts.scheduler.preemption.count
        for reserve in ("counts-in-flight", "ignores")
    ]  # fmt: skip
    assert counts[0] < counts[1]


def test_a_cancelled_request_keeps_its_blocks_until_its_last_row_is_back():
    work = Workload(requests=(Prompt("abc", 9, cancel_step=2), Prompt("abcd", 9)))
    engine = Engine(work, depth=2)
    engine.schedule()
    engine.schedule()
    engine.settle()
    assert engine.scheduler.ready(2)
    cancelled = engine.scheduler.running[0]
    assert (cancelled.cancelled, cancelled.finished, cancelled.in_flight) == (True, True, 1)
    assert shape(engine.schedule()) == [("r1", 1)]
    engine.settle()
    assert [request.id for request in engine.scheduler.running] == ["r1"]


def test_without_backpressure_a_cancel_comes_too_late_for_all_that_was_launched():
    listed = (Prompt("abc", 30, "A", cancel_step=20), Prompt("abcd", 30, "B"))
    flying = {}
    for backpressure in ("on", "off"):
        toggles = {"backpressure": backpressure, "device_slots": "32", "host_slots": "32"}
        story = play(Workload(requests=listed), "pipelined", 2, **toggles)
        flying[backpressure] = story.interrupted["A"]
        assert len(story.rows("A")) == 20
    assert flying == {"on": 1, "off": 20}


def test_a_request_cancelled_before_it_joined_is_never_run():
    work = Workload(batch=1, requests=(Prompt("abc", 9), Prompt("abcd", 9, cancel_step=1)))
    engine = Engine(work).run()
    assert {name for rows in engine.batches for name, _ in shape(rows)} == {"r0"}
    assert engine.scheduler.all_requests[1].cancelled


def test_cancelled_requests_are_left_out_of_the_token_comparison():
    result = execute(configure("async", workload="cancel"))
    (cancelled,) = [request for request in result.requests if request.cancelled]
    assert result.token_diff.count == 0
    others = sum(len(r.tokens) for r in result.requests if r is not cancelled)
    assert result.token_diff.total == others
    assert 0 < cancelled.committed < cancelled.max_new_tokens


def test_a_shared_beginning_is_prefilled_once():
    work = replace(WORKLOADS["shared-prefix"], batch=1)
    plain = replace(work, prefix_cache=False)
    rows = {
        cached: sum(
            op.name == "embed" and op.reads[0].mask.bit_count()
            for op in execute(configure(workload=w, compute=False, requests=2)).device.log
        )
        for cached, w in ((True, work), (False, plain))
    }
    whole_blocks = (1 + work.shared_prefix) // work.block_size
    assert rows[False] - rows[True] == whole_blocks * work.block_size


def test_swapped_blocks_go_out_and_come_back():
    log = execute(configure(workload="swap", compute=False)).device.log
    out = [op for op in log if op.name == "d2h layer 0"]
    back = [op for op in log if op.name == "h2d layer 0"]
    assert len(out) == len(back) >= 1
    assert [op.reads[0].mask for op in back] == [op.writes[0].mask for op in out]
    assert [op.nbytes for op in back] == [op.nbytes for op in out]


def test_without_host_room_a_preempted_request_is_computed_again():
    result = execute(configure(workload="swap", compute=False, steps=1))
    swapper = result.parts.swapper
    request = result.requests[0]
    request.blocks[:] = [0, 1]
    swapper.free.clear()
    assert not swapper.swap_out(request, request.blocks)
    assert request.swapped == []


def test_a_window_lets_blocks_go_and_the_text_is_that_of_the_synchronous_engine():
    result = execute(configure(workload="sliding-window"))
    assert result.token_diff.count == 0
    unlimited = replace(WORKLOADS["sliding-window"], window=0, kv_blocks=200)
    whole = execute(configure(workload=unlimited))
    assert result.texts != whole.texts
