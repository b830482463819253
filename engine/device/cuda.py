"""The device of a GPU: torch.cuda's streams, events, pinned memory and graphs.

What the host logs is as on threads (`engine.device.threads`); here its work goes to CUDA, which
keeps the order by its own rules, and times come from timing events (`engine.device.gpu_times`).
This shell is thin because it cannot be run where there is no GPU.

A kernel of the lab is a body of many CUDA kernels, the writes of its commit directly behind them.
A graph is captured when it is first launched, in a host span of its own.
"""

import ctypes
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import torch
from msgspec.structs import replace

from engine.device.acts import Act, Pause, nothing
from engine.device.api import Body, Event, Kernel, Stream
from engine.device.gpu_times import Anchor, GpuTimes, anchor
from engine.device.settings import Settings
from engine.device.threads import ThreadsDevice
from engine.device.worker import DeviceError, Work
from engine.device.workers import Works
from engine.oplog import NONE, StreamKind

SLEPT_CYCLES = 50_000_000
"""So many cycles are slept to learn how long a cycle is: some 30 ms."""


@dataclass(eq=False, slots=True)
class GpuWork(Work):
    """Work between two timing events."""

    begin: Any = None
    end: Any = None

    @property
    def done(self) -> bool:
        """True once the GPU has passed it."""
        return bool(self.end.query())


class CudaDevice(ThreadsDevice):
    """A `Device` of the present CUDA GPU; see engine.device.api. It must be closed."""

    _work = GpuWork

    def __init__(self, settings: Settings) -> None:
        self._streams: list[Any] = []
        self._owned: list[int] = []
        self._marks: dict[Event, Any] = {}
        self._graphs: dict[tuple[Body | None, ...], Any] = {}
        self._pools: dict[int, Any] = {}
        super().__init__(settings)
        self._sleep_ns = _ns_per_cycle() if settings.delays else 1.0
        self._times = GpuTimes(_anchor())

    def launch(self, stream: Stream, called: str, kernels: tuple[Kernel, ...]) -> None:
        """One launch; a graph's kernels are one replay, which stands for the first of them."""
        if kernels[0].name != called and kernels[0].body is not None and self.compute:
            graph = self._captured(kernels)
            replay = replace(kernels[0], body=lambda: graph.replay)
            kernels = (replay, *(replace(kernel, body=None) for kernel in kernels[1:]))
        super().launch(stream, called, kernels)

    def record(self, stream: Stream, event: Event) -> None:
        """Let `event` stand for all work of the stream so far."""
        super().record(stream, event)
        mark = self._marks.setdefault(event, torch.cuda.Event())
        mark.record(self._streams[stream.info.index])

    def wait(self, stream: Stream, event: Event) -> None:
        """Hold the stream back until the event's present record; never recorded: no-op."""
        super().wait(stream, event)
        if event in self._marks:
            self._streams[stream.info.index].wait_event(self._marks[event])

    def finish(self) -> None:
        """Let the GPU run dry and put its times into the log. Raises DeviceError."""
        with _told("the run"):
            torch.cuda.synchronize()
            origin_ns = time.perf_counter_ns() - self.now_ns
            self.measured = self._times.settle(_anchor(), origin_ns)

    def close(self) -> None:
        """Wait for the GPU, whatever its state, and give back the streams made for it alone."""
        if not self._closed:
            try:
                torch.cuda.synchronize()
            except RuntimeError:  # told where it was first noticed
                pass
            for handle in self._owned:
                torch.cuda.cudart().cudaStreamDestroy(handle)
        super().close()

    # -------------------------------------------------------------- machinery

    def _begin_stream(self, name: str, kind: StreamKind, priority: int) -> None:
        """PyTorch's streams are non-blocking; the runtime makes blocking ones. On CUDA a lower
        number is a higher priority."""
        if kind is StreamKind.DEFAULT:
            self._streams.append(torch.cuda.default_stream())
        elif kind is StreamKind.NON_BLOCKING:
            self._streams.append(torch.cuda.Stream(priority=-priority))
        else:
            handle = ctypes.c_void_p()
            failed = torch.cuda.cudart().cudaStreamCreate(ctypes.addressof(handle))
            if int(failed) or handle.value is None:
                raise DeviceError(f"CUDA made no blocking stream {name!r} (error {int(failed)})")
            self._owned.append(handle.value)
            self._streams.append(torch.cuda.ExternalStream(handle.value))

    def _zeros(
        self, shape: tuple[int, ...], dtype: torch.dtype, on_host: bool, pinned: bool
    ) -> torch.Tensor:
        if on_host:
            return torch.zeros(shape, dtype=dtype, pin_memory=pinned)
        with _told("allocating memory"):
            zeros = torch.zeros(shape, dtype=dtype, device="cuda")
            torch.cuda.current_stream().synchronize()  # other streams may use it at once
        return zeros

    def _begin(self, work: Work) -> None:
        """Issue work on its stream, between two events; it is done when the GPU passes them."""
        assert isinstance(work, GpuWork)
        op, stream = work.op, self._streams[work.op.stream]
        part = op.replay not in (NONE, op.seq)
        with torch.cuda.stream(stream), _told(repr(op.name)):
            if work.delay_ns:
                torch.cuda._sleep(round(work.delay_ns / self._sleep_ns))
            if not part:
                self._latest = _timer(stream), _timer(None)
            (work.act or nothing)(_at_once)
            work.begin, work.end = self._latest
            if not part:
                work.end.record(stream)
        self._times.add(op, work.begin, work.end)
        work.act, work.after = None, ()

    def _await(self, works: Works) -> None:
        self._pass(0)
        for work in works:
            assert isinstance(work, GpuWork)
            with _told(f"{work.op.name!r} of batch {work.op.step}, or what came before it,"):
                work.end.synchronize()
        self._since_ns = self._due_ns = self.now_ns

    def _copying(self, dst: torch.Tensor, src: torch.Tensor, rows: int) -> Act:
        """One copy; CUDA itself makes the host wait where host memory is pageable."""

        def act(pause: Pause) -> None:
            dst[:rows].copy_(src[:rows], non_blocking=True)

        return act

    def _copying_rows(
        self, dst: torch.Tensor, to_rows: Sequence[int], src: torch.Tensor, from_rows: Sequence[int]
    ) -> Act:
        """A copy for each row: an index would have to be copied to the GPU first."""

        def act(pause: Pause) -> None:
            for to_row, from_row in zip(to_rows, from_rows, strict=True):
                dst[to_row].copy_(src[from_row], non_blocking=True)

        return act

    def _captured(self, kernels: tuple[Kernel, ...]) -> Any:  # noqa: ANN401 - torch's CUDAGraph
        """The graph of these bodies. Graphs that keep their intermediates in one buffer share
        PyTorch's memory pool, too."""
        bodies = tuple(kernel.body for kernel in kernels)
        if bodies not in self._graphs:
            span = self._span("graph capture")
            buffer = kernels[0].writes[0].buffer
            if buffer not in self._pools:
                self._pools[buffer] = torch.cuda.graph_pool_handle()
            torch.cuda.synchronize()
            for body in filter(None, bodies):
                body()  # libraries set themselves up; nothing is written without the commit
            graph = torch.cuda.CUDAGraph()
            with _told("capturing a graph"), torch.cuda.graph(graph, pool=self._pools[buffer]):
                for body in filter(None, bodies):
                    body()()
            self._graphs[bodies] = graph
            span.end_ns = self.now_ns
        return self._graphs[bodies]


def missing_gpu() -> str:
    """Why there is no CUDA device here, in one sentence; empty where there is one."""
    if torch.cuda.is_available():
        return ""
    why = "was built without CUDA" if torch.version.cuda is None else "finds no GPU"
    return f"device 'cuda' needs an NVIDIA GPU, and PyTorch {why} here: use threads or virtual"


def _at_once(part: int, parts: int) -> None:
    """Nothing is paced: CUDA takes what it takes."""


def _timer(stream: Any) -> Any:  # noqa: ANN401 - torch.cuda is not typed
    """A timing event, recorded in a stream if there is one."""
    event = torch.cuda.Event(enable_timing=True)
    if stream is not None:
        event.record(stream)
    return event


def _anchor() -> Anchor:
    """Tie the host's clock to an idle GPU's."""
    torch.cuda.synchronize()

    def reach() -> Any:  # noqa: ANN401
        event = _timer(torch.cuda.current_stream())
        event.synchronize()
        return event

    return anchor(reach, time.perf_counter_ns)


def _ns_per_cycle() -> float:
    """How long a cycle of `torch.cuda._sleep` takes here."""
    stream = torch.cuda.current_stream()
    torch.cuda._sleep(SLEPT_CYCLES)  # the clock speeds up first
    begin = _timer(stream)
    torch.cuda._sleep(SLEPT_CYCLES)
    end = _timer(stream)
    end.synchronize()
    return float(1e6 * begin.elapsed_time(end) / SLEPT_CYCLES)


@contextmanager
def _told(what: str) -> Iterator[None]:
    """What CUDA raises becomes one sentence. Raises DeviceError."""
    try:
        yield
    except RuntimeError as error:
        if isinstance(error, DeviceError):
            raise
        why = str(error).strip().splitlines()[0]
        raise DeviceError(f"{what} failed on the GPU: {why}") from None
