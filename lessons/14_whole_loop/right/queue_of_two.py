"""A queue of batches in place of `before`; the oldest is settled when two are under way."""

from collections import deque


def launch(engine, batch):
    engine.copy_inputs(batch)
    engine.h2d.record(batch.h2d_done)
    engine.compute.wait(batch.h2d_done)
    engine.forward(batch)
    engine.compute.record(batch.compute_done)
    engine.d2h.wait(batch.compute_done)
    engine.copy_outputs(batch)
    engine.d2h.record(batch.d2h_done)


def settle(engine, batch):
    batch.d2h_done.synchronize()
    engine.commit(batch)


def run(engine):
    in_flight = deque()
    while engine.has_work():
        in_flight.append(engine.prepare())
        launch(engine, in_flight[-1])
        if len(in_flight) == 2:
            settle(engine, in_flight.popleft())
    while in_flight:
        settle(engine, in_flight.popleft())
