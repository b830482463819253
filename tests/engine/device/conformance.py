"""What every device must do, in terms of order and data alone: no clock is looked at.

A device's test derives a class from `Conformance` and says how to make a device whose kernels
of the family "layer" are slow. A slow kernel must outlast anything the host does here
without waiting; that is how "has not happened yet" can be seen without a clock.

What this suite does not show: races. What a missing edge does depends on the timing,
which only the virtual device promises; here the hazard checker reads the log instead.
"""

from dataclasses import replace

import pytest

from engine.checker.hazards import find_hazards
from engine.device.api import Graph
from engine.oplog import NONE, OpKind, StreamKind
from tests.engine.device.conformance_bench import ALL, NEW, OLD, ROWS, ConformanceBench


class Conformance(ConformanceBench):
    """Derive from it, and make a device with slow kernels."""

    # ---------------------------------------------------------- stream order

    def test_a_stream_is_a_fifo_data_goes_to_the_device_and_back(self):
        self.bring(self.a)
        self.a.launch(self.move(self.z, self.y, 1))
        self.a.copy(self.result, self.z, ROWS)
        self.a.synchronize()
        assert self.read(self.result) == [8] * ROWS

    def test_a_copy_moves_only_the_rows_asked_for(self):
        self.a.copy(self.x, self.source, 3)
        assert self.fetch(self.x) == [7] * 3 + [0] * (ROWS - 3)

    def test_launches_return_before_the_work_is_done(self):
        self.bring(self.a)
        self.a.copy(self.result, self.y, ROWS)
        assert self.read(self.result) == OLD
        self.a.synchronize()
        assert self.read(self.result) == NEW

    def test_stream_synchronize_waits_for_its_own_stream_only(self):
        self.bring(self.a)
        self.a.copy(self.result, self.y, ROWS)
        self.b.launch(self.move(self.z, self.z, 1))
        self.b.synchronize()
        assert self.read(self.result) == OLD

    def test_device_synchronize_waits_for_every_stream(self):
        other = self.host()
        self.bring(self.a)
        self.a.copy(self.result, self.y, ROWS)
        self.b.launch(self.late(self.z, self.z, 3))
        self.b.copy(other, self.z, ROWS)
        self.device.synchronize()
        assert (self.read(self.result), self.read(other)) == (NEW, [3] * ROWS)

    # ---------------------------------------------------------------- events

    def test_a_wait_orders_two_streams(self):
        done = self.device.event("done")
        self.bring(self.a)
        self.a.record(done)
        self.b.wait(done)
        self.b.copy(self.result, self.y, ROWS)
        self.b.synchronize()
        assert self.read(self.result) == NEW

    def test_an_event_makes_the_host_wait(self):
        done = self.device.event("done")
        self.bring(self.a)
        self.a.copy(self.result, self.y, ROWS)
        self.a.record(done)
        done.synchronize()
        assert self.read(self.result) == NEW

    def test_an_event_stands_for_the_work_before_its_record_only(self):
        first = self.device.event("first")
        other = self.host()
        self.a.copy(self.result, self.x, ROWS)
        self.a.record(first)
        self.bring(self.a)
        self.a.copy(other, self.y, ROWS)
        first.synchronize()
        assert self.read(other) == OLD

    def test_an_event_passes_on_what_its_stream_waited_for(self):
        first, second = self.device.event("first"), self.device.event("second")
        self.bring(self.a)
        self.a.copy(self.result, self.y, ROWS)
        self.a.record(first)
        self.b.wait(first)
        self.b.record(second)
        second.synchronize()
        assert self.read(self.result) == NEW

    def test_waiting_for_an_event_never_recorded_does_nothing(self):
        never = self.device.event("never")
        self.b.wait(never)
        never.synchronize()
        self.b.copy(self.x, self.source, ROWS)
        assert self.fetch(self.x) == NEW
        waits = [op for op in self.device.log if op.kind in (OpKind.WAIT, OpKind.SYNC_OP)]
        assert [op.target for op in waits] == [NONE, NONE]

    def test_a_query_answers_at_once_and_says_no_while_work_is_left(self):
        done = self.device.event("done")
        self.bring(self.a)
        self.a.copy(self.result, self.y, ROWS)
        self.a.record(done)
        assert not done.query()
        assert self.read(self.result) == OLD

    def test_a_query_that_says_yes_orders_like_a_synchronise(self):
        done = self.device.event("done")
        self.bring(self.a)
        self.a.copy(self.result, self.y, ROWS)
        self.a.record(done)
        while not done.query():
            pass
        assert self.read(self.result) == NEW
        assert find_hazards(self.device.log) == []

    def test_a_query_that_says_no_orders_nothing(self):
        done = self.device.event("done")
        self.bring(self.a)
        self.a.copy(self.result, self.y, ROWS)
        self.a.record(done)
        assert not done.query()
        self.read(self.result)
        assert [(h.kind, h.resource) for h in find_hazards(self.device.log)] == [("RAW", "host")]

    def test_an_event_never_recorded_is_reached(self):
        assert self.device.event("never").query()

    def test_a_wait_issued_before_a_record_sees_the_earlier_one(self):
        event = self.device.event("event")
        other = self.host()
        self.a.record(event)
        self.b.wait(event)
        self.bring(self.a)
        self.a.copy(self.result, self.y, ROWS)
        self.a.record(event)
        self.b.copy(other, self.x, ROWS)
        self.b.synchronize()
        assert self.read(self.result) == OLD
        event.synchronize()
        assert self.read(self.result) == NEW

    # ---------------------------------------------------------------- copies

    def test_a_pageable_h2d_lets_the_host_rewrite_its_source_at_once(self):
        pageable = self.host(pinned=False)
        self.device.write("fill", [(pageable, ROWS, NEW)])
        self.a.launch(self.late(self.x, self.x))
        self.a.copy(self.x, pageable, ROWS)
        self.device.write("rewrite", [(pageable, ROWS, [9] * ROWS)])
        assert self.fetch(self.x) == NEW
        assert find_hazards(self.device.log) == []

    def test_a_pinned_h2d_returns_at_once_and_reads_its_source_when_its_turn_comes(self):
        self.a.launch(self.late(self.x, self.x))
        self.a.copy(self.x, self.source, ROWS)
        self.device.write("rewrite", [(self.source, ROWS, [9] * ROWS)])
        assert self.fetch(self.x) == [9] * ROWS
        assert [(h.kind, h.resource) for h in find_hazards(self.device.log)] == [("WAR", "host")]

    def test_a_pageable_d2h_blocks_the_host_until_the_data_is_there(self):
        pageable = self.host(pinned=False)
        self.bring(self.a)
        self.a.copy(pageable, self.y, ROWS)
        assert self.read(pageable) == NEW
        assert find_hazards(self.device.log) == []

    # -------------------------------------------------- legacy default stream

    def test_the_default_stream_comes_after_blocking_streams_and_before_their_next_work(self):
        default = self.device.stream("default", StreamKind.DEFAULT)
        blocking = self.device.stream("blocking", StreamKind.BLOCKING)
        other = self.device.stream("other", StreamKind.BLOCKING)
        self.bring(blocking)
        default.launch(self.late(self.z, self.y, 1))
        other.copy(self.result, self.z, ROWS)
        other.synchronize()
        assert self.read(self.result) == [8] * ROWS
        assert find_hazards(self.device.log) == []

    def test_non_blocking_streams_ignore_the_default_stream(self):
        default = self.device.stream("default", StreamKind.DEFAULT)
        self.bring(self.a)
        self.a.copy(self.result, self.y, ROWS)
        default.launch(self.move(self.z, self.z, 1))
        default.synchronize()
        assert self.read(self.result) == OLD

    def test_there_is_one_default_stream(self):
        first = self.device.stream("default", StreamKind.DEFAULT)
        assert self.device.stream("again", StreamKind.DEFAULT) is first

    # ---------------------------------------------------------------- graphs

    def test_a_graph_does_what_its_kernels_do_one_by_one(self):
        kernels = (
            self.move(self.y, self.x, 1, "first"),
            self.late(self.z, self.y, 10, "second"),
            self.move(self.x, self.z, 100, "third"),
        )
        self.a.copy(self.x, self.source, ROWS)
        self.a.replay(Graph("step", kernels))
        replayed = self.fetch(self.x)
        self.a.copy(self.x, self.source, ROWS)
        for kernel in kernels:
            self.a.launch(kernel)
        assert replayed == self.fetch(self.x) == [118] * ROWS

    # ------------------------------------------------------------- allocator

    def test_freed_memory_goes_back_to_its_own_stream_at_once(self):
        memory = self.device.allocate(64, self.a, "temporary")
        self.device.free(memory)
        assert self.device.allocate(64, self.a, "temporary") is memory

    def test_freed_memory_does_not_go_to_another_stream(self):
        memory = self.device.allocate(64, self.a, "temporary")
        self.device.free(memory)
        assert self.device.allocate(64, self.b, "temporary") is not memory

    def test_a_recorded_stream_holds_memory_back_until_it_is_through(self):
        memory = self.device.allocate(64, self.a, "temporary")
        self.b.launch(self.late(self.y, self.x))
        self.device.record_stream(memory, self.b)
        self.device.free(memory)
        assert self.device.allocate(64, self.a, "temporary") is not memory
        self.device.synchronize()
        assert self.device.allocate(64, self.a, "temporary") is memory

    def test_memory_is_freed_once(self):
        memory = self.device.allocate(64, self.a, "temporary")
        self.device.free(memory)
        with pytest.raises(ValueError, match="freed twice"):
            self.device.free(memory)

    # ------------------------------------------------------------------- log

    def test_the_log_says_what_was_read_and_written(self):
        self.a.copy(self.x, self.source, 3)
        self.a.launch(self.move(self.y, self.x))
        copied, launched = list(self.device.log)[-2:]
        assert (copied.kind, launched.kind) == (OpKind.H2D, OpKind.KERNEL)
        assert copied.reads == (self.source.rows(0b111),)
        assert copied.writes == (self.x.rows(0b111),)
        assert (launched.reads, launched.writes) == ((self.x.rows(ALL),), (self.y.rows(ALL),))

    def test_operations_carry_the_step_and_slot_the_host_works_on(self):
        self.device.context = replace(self.device.context, step=5, slot=1)
        with self.device.host("schedule"):
            self.a.copy(self.x, self.source, ROWS)
        op, span = self.device.log.ops[-1], self.device.spans[-1]
        assert (op.step, op.slot, span.step, span.slot) == (5, 1, 5, 1)

    def test_a_missing_edge_is_in_the_log_whatever_the_timing(self):
        self.bring(self.a)
        self.b.copy(self.result, self.y, ROWS)
        assert [(h.kind, h.resource) for h in find_hazards(self.device.log)] == [("RAW", "device")]
