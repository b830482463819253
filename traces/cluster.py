"""Independent pieces of work on many processes or machines, by way of Dask.

For the command lines of `traces` and `engine`. One job needs no Dask and runs in this process. On a
cluster a piece whose worker dies is done again by another, and its result comes once.

A Dask cluster trusts everyone who can reach it: its messages may hold code. The one started
here listens on this machine alone.
"""

import argparse
import asyncio
import logging
import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from traces.arguments import count
from traces.schema import TraceError

Task = TypeVar("Task")
Result = TypeVar("Result")

CONNECT_S = 15
"""How long a scheduler is waited for."""

NO_DASK = (
    "Several jobs need Dask, which is not installed: `pip install dask distributed`, or give "
    "--jobs 1."
)


GONE = "The Dask scheduler is gone; start it and run the same command again."


@dataclass(frozen=True)
class Done(Generic[Result]):
    """The result of task `number`; where every worker that took it died or it raised, `result`
    is None and `lost` says why in one sentence."""

    number: int
    result: Result | None
    lost: str = ""


def add_cluster_options(parser: argparse.ArgumentParser) -> None:
    """Give a parser `--scheduler` and `--jobs`."""
    parser.add_argument(
        "--scheduler", metavar="ADDRESS",
        help="a Dask scheduler such as tcp://host:8786 (default: processes of this machine)",
    )  # fmt: skip
    parser.add_argument(
        "--jobs", type=count, metavar="N",
        help="processes of this machine; 1 needs no Dask (default: one a core)",
    )  # fmt: skip


def done(
    work: Callable[[Task], Result],
    tasks: Sequence[Task],
    scheduler: str | None = None,
    jobs: int | None = None,
) -> Iterator[Done[Result]]:
    """Every task's result once, as they come.

    `work` is a function that workers can import, tasks and results can be pickled. Raises
    TraceError where Dask or the scheduler is missing, or goes away.
    """
    jobs = min(jobs or os.cpu_count() or 1, max(1, len(tasks)))
    if scheduler is None and jobs == 1:
        yield from (_here(work, number, task) for number, task in enumerate(tasks))
        return
    with _client(scheduler, jobs) as client:
        yield from _gathered(client, work, tasks)


def _here(work: Callable[[Task], Result], number: int, task: Task) -> Done[Result]:
    """A task done in this process; one that fails ends no other, as on a cluster."""
    try:
        return Done(number, work(task))
    except Exception as error:
        return Done(number, None, _told(error))


def _gathered(
    client: Any,  # noqa: ANN401 - Dask is not imported unless it is wanted
    work: Callable[[Task], Result],
    tasks: Sequence[Task],
) -> Iterator[Done[Result]]:
    from distributed import as_completed

    futures = client.map(work, tasks, pure=False)
    numbers = {future.key: number for number, future in enumerate(futures)}
    completed = as_completed(futures, loop=client.loop)
    del futures  # a result that is fetched need not be kept by its worker
    for future in completed:
        number = numbers.pop(future.key)
        if future.status == "finished":
            yield Done(number, future.result())
        elif future.status == "cancelled":
            raise TraceError(GONE)
        else:
            yield Done(number, None, _reason(future.exception()))


def _reason(error: BaseException) -> str:
    from distributed import KilledWorker

    if isinstance(error, KilledWorker):
        return "every worker that took this died: too little memory?"
    return _told(error)


def _told(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"


@contextmanager
def _client(scheduler: str | None, jobs: int) -> Iterator[Any]:
    try:
        from distributed import Client, LocalCluster
    except ImportError:
        raise TraceError(NO_DASK) from None
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    with ExitStack() as stack:
        if scheduler is None:
            scheduler = stack.enter_context(
                LocalCluster(
                    n_workers=jobs,
                    threads_per_worker=1,
                    memory_limit=None,
                    dashboard_address=None,
                    silence_logs=logging.CRITICAL,
                )  # fmt: skip
            )
        try:
            _knock(scheduler)
            client = Client(scheduler, timeout=CONNECT_S, set_as_default=False)
        except (OSError, ValueError) as error:
            raise TraceError(
                f"No Dask scheduler answers at {scheduler} ({error}); start one with "
                "`dask scheduler`."
            ) from error
        yield stack.enter_context(client)


def _knock(scheduler: Any) -> None:  # noqa: ANN401 - an address, or a cluster that has one
    """Raises OSError or ValueError where nobody answers.

    A client that finds nobody is left half-made. It closes itself when it is collected, and where
    that happens while the next one starts, each waits for the other's lock for ever.
    """
    from distributed.comm.core import connect

    async def knock() -> None:
        comm = await connect(getattr(scheduler, "scheduler_address", scheduler), timeout=CONNECT_S)
        await comm.close()

    with ThreadPoolExecutor(1) as thread:  # this one may have an event loop of its own
        thread.submit(lambda: asyncio.run(knock())).result()


@contextmanager
def _deaf_to_ctrl_c() -> Iterator[None]:
    """Processes started within hear no Ctrl-C, which a terminal sends to all: they are told."""
    if threading.current_thread() is not threading.main_thread():  # signals are its alone
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
