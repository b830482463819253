"""One thread a stream: work comes in order and is done in order.

What this module does not know: the log, buffers, where work comes from.
"""

import threading
from dataclasses import dataclass, field
from queue import SimpleQueue

import torch

from engine.device.acts import Act, nothing
from engine.device.wall_clock import WallClock
from engine.oplog import Op


class DeviceError(RuntimeError):
    """Work of a real device raised an exception; the message is one sentence."""


@dataclass(eq=False, slots=True)
class Engine:
    """What one piece of work at a time may hold; `free_ns` is when the last one let go."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    free_ns: int = 0


@dataclass(eq=False, slots=True)
class Work:
    """One entry of a stream: what it does, once everything in `after` is finished.

    It starts `delay_ns` late, takes at least `pace_ns`, and holds its `engine` meanwhile.
    `issued_ns` and `due_ns` are when it would have been issued, and would have ended, on a
    machine that wakes sleepers in time: work behind it counts its own time from there, so that
    late wake-ups do not add up.
    """

    op: Op
    act: Act | None
    after: tuple["Work", ...]
    engine: Engine
    issued_ns: int = 0
    pace_ns: int = 0
    delay_ns: int = 0
    due_ns: int = 0
    finished: threading.Event = field(default_factory=threading.Event)

    @property
    def seq(self) -> int:
        """The number of its operation."""
        return self.op.seq

    @property
    def done(self) -> bool:
        """True once it is finished, or called off."""
        return self.finished.is_set()


class Failure:
    """The first exception of any worker; it calls off all other work."""

    def __init__(self, clock: WallClock) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._sentence = ""

    def note(self, work: Work, stream: str, error: BaseException) -> None:
        """A piece of work raised `error`."""
        with self._lock:
            if not self._sentence:
                what = " ".join(f"{type(error).__name__}: {error}".split())
                name = f"{work.op.name!r} of batch {work.op.step}"
                self._sentence = f"{name} failed on stream {stream!r}: {what}"
        self._clock.called_off.set()

    def check(self) -> None:
        """Raise DeviceError where a worker has failed."""
        if self._sentence:
            raise DeviceError(self._sentence)


class Worker:
    """The thread of one stream."""

    def __init__(self, stream: str, clock: WallClock, failure: Failure) -> None:
        self._stream, self._clock, self._failure = stream, clock, failure
        self._queue: SimpleQueue[Work | None] = SimpleQueue()
        self._thread = threading.Thread(target=self._serve, name=f"stream {stream}", daemon=True)
        self._thread.start()

    def put(self, work: Work) -> None:
        """Queue work behind what is there."""
        self._queue.put(work)

    def end(self) -> None:
        """Wait until everything queued is finished or called off, and end the thread."""
        self._queue.put(None)
        self._thread.join()

    def _serve(self) -> None:
        with torch.inference_mode():  # holds for one thread
            while (work := self._queue.get()) is not None:
                for other in work.after:
                    other.finished.wait()
                if not self._clock.called_off.is_set():
                    self._perform(work)
                work.act, work.after = None, ()  # or every step would hold all before it
                work.finished.set()

    def _perform(self, work: Work) -> None:
        op, clock, engine = work.op, self._clock, work.engine
        with engine.lock:
            if work.delay_ns:
                clock.sleep_until(clock.now_ns + work.delay_ns)
            op.start_ns = clock.now_ns
            ready_ns = max([work.issued_ns, engine.free_ns, *(w.due_ns for w in work.after)])
            begin_ns = op.start_ns if work.delay_ns else ready_ns

            def pause(part: int, parts: int) -> None:
                due_ns = begin_ns + work.pace_ns * part // parts
                work.due_ns = max(due_ns, begin_ns + clock.now_ns - op.start_ns)
                clock.sleep_until(due_ns)

            try:
                (work.act or nothing)(pause)
            except BaseException as error:  # whatever it is, the host must hear of it
                self._failure.note(work, self._stream, error)
            op.end_ns = clock.now_ns
            engine.free_ns = work.due_ns
