"""Lesson 14: put the lines of the asynchronous loop in order.

Every line that the loop needs is here, once, and it runs on the lab's own engine. The order is
wrong, and one thing is forgotten: when nothing is left to prepare, a batch is still under way.

    engine.has_work()           can another batch be prepared now?
    engine.prepare()            schedule, allocate, fill the host's side of a slot: a new batch
    engine.copy_inputs(batch)   queue the copies to the device, on the H2D stream
    engine.forward(batch)       queue the forward pass with its carry-over, on the compute stream
    engine.copy_outputs(batch)  queue the copy of the tokens to the host, on the D2H stream
    engine.commit(batch)        read the tokens from host memory, update the requests, stream text
    stream.record(event)        let the event stand for all work of the stream so far
    stream.wait(event)          hold back the stream's later work until the event is reached
    event.synchronize()         hold back the host until the event is reached

Two slots: at most two batches may be under way. Check it with:  python -m lessons check 14
"""


def run(engine):
    """Serve all requests: while the device computes one batch, prepare the next."""
    before = None
    while engine.has_work():
        batch = engine.prepare()
        engine.d2h.wait(batch.compute_done)
        engine.forward(batch)
        engine.d2h.record(batch.d2h_done)
        engine.copy_outputs(batch)
        engine.compute.record(batch.compute_done)
        before = batch
        if before:
            before.d2h_done.synchronize()
            engine.commit(before)
        engine.h2d.record(batch.h2d_done)
        engine.compute.wait(batch.h2d_done)
        engine.copy_inputs(batch)
