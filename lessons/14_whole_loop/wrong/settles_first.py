"""Settle N, then prepare N+1: right, and one after the other."""


def run(engine):
    before = None
    while engine.has_work() or before:
        if before:
            before.d2h_done.synchronize()
            engine.commit(before)
        batch = None
        if engine.has_work():
            batch = engine.prepare()
            engine.copy_inputs(batch)
            engine.h2d.record(batch.h2d_done)
            engine.compute.wait(batch.h2d_done)
            engine.forward(batch)
            engine.compute.record(batch.compute_done)
            engine.d2h.wait(batch.compute_done)
            engine.copy_outputs(batch)
            engine.d2h.record(batch.d2h_done)
        before = batch
