"""Compute waits for an event that has not been recorded yet."""


def run(engine):
    before = None
    while engine.has_work() or before:
        batch = None
        if engine.has_work():
            batch = engine.prepare()
            engine.copy_inputs(batch)
            engine.compute.wait(batch.h2d_done)
            engine.h2d.record(batch.h2d_done)
            engine.forward(batch)
            engine.compute.record(batch.compute_done)
            engine.d2h.wait(batch.compute_done)
            engine.copy_outputs(batch)
            engine.d2h.record(batch.d2h_done)
        if before:
            before.d2h_done.synchronize()
            engine.commit(before)
        before = batch
