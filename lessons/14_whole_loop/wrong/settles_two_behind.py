"""Batches are settled two steps late: three of them share two slots."""


def run(engine):
    before = oldest = None
    while engine.has_work() or before or oldest:
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
        if oldest:
            oldest.d2h_done.synchronize()
            engine.commit(oldest)
        oldest, before = before, batch
