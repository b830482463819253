"""How the process is set while an engine runs: threads of an operator, garbage collection."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager

import torch


@contextmanager
def one_thread() -> Iterator[None]:
    """On tensors this small several threads only wait for each other."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)


@contextmanager
def no_garbage_collection() -> Iterator[None]:
    """A run makes very many long-lived objects and no cycles: do not search them again and again.

    They are counted among the old objects at the end, or the next search, soon after, would
    take all of them for new. Measured on 8,192 steps: a third less time. Where a server has frozen
    its modules for good, unfreezing would undo that: the new ones are searched once instead.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if gc.get_freeze_count():
            gc.collect(1)
        else:
            gc.freeze()
            gc.unfreeze()
        if was_on:
            gc.enable()


STEPS_KEPT = 20_000
"""So many steps may be run from one search for forgotten runs to the next: some 150 runs of the
default workload."""

_run_since = 0


def look_for_forgotten_runs(steps: int) -> None:
    """Said of each run that computed and has ended, with its steps.

    A run is freed with the last who holds it (`HostCalls.close`). Where something holds itself
    only the collector frees it, which never comes by: what a run makes is counted among the old
    objects at once, and it does not know how large tensors are. A search goes through all that the
    process holds, so that it must be rare.
    """
    global _run_since
    _run_since += steps
    if _run_since > STEPS_KEPT:
        _run_since = 0
        gc.collect()
