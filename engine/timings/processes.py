"""Processes that work beside this one, started once and kept: they load torch for seconds.

They end with this process, however it ends.
"""

import os
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from functools import lru_cache
from multiprocessing import get_context, parent_process
from threading import Thread


@lru_cache(maxsize=1)
def process_pool(workers: int) -> ProcessPoolExecutor:
    """A pool of so many processes; another number of them takes the place of the last one."""
    spawn = get_context("spawn")  # a server's threads cannot fork
    return ProcessPoolExecutor(workers, spawn, initializer=end_with_parent)


def end_with_parent() -> None:
    """Watch the process that started this one: killed, it cannot say that work is over."""
    parent = parent_process()
    if parent is not None:
        Thread(target=_leave_after, args=(parent.join,), daemon=True).start()


def _leave_after(join: Callable[[], None]) -> None:
    join()
    os._exit(0)
