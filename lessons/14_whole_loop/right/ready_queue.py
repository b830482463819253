"""The ready-queue form: take what has come, submit what can go, sleep when nothing moves."""


def submit(engine):
    batch = engine.prepare()
    engine.copy_inputs(batch)
    engine.h2d.record(batch.h2d_done)
    engine.compute.wait(batch.h2d_done)
    engine.forward(batch)
    engine.compute.record(batch.compute_done)
    engine.d2h.wait(batch.compute_done)
    engine.copy_outputs(batch)
    engine.d2h.record(batch.d2h_done)
    return batch


def run(engine):
    queue = []
    while True:
        moved = False
        if len(queue) < 2 and engine.has_work():
            queue.append(submit(engine))
            moved = True
        if queue and queue[0].d2h_done.query():
            engine.commit(queue.pop(0))
            moved = True
        if moved:
            continue
        if not queue:
            return
        queue[0].d2h_done.synchronize()
