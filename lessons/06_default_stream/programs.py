"""Lesson 06's programs: the default stream beside streams of both kinds, and the six snippets.

`setting` gives each snippet what it works with: a device, the default stream, two kernels of 4 ms
that fit beside each other, `clear` of 1 ms, copies of 1 ms, and host memory of both sorts.
"""

from dataclasses import dataclass

from engine.device.api import Kernel, Stream
from engine.device.buffer import Buffer
from engine.device.cost import MS, US, CostModel
from engine.device.settings import Settings
from engine.device.virtual import VirtualDevice
from engine.oplog import StreamKind

BLOCKING, NON_BLOCKING = StreamKind.BLOCKING, StreamKind.NON_BLOCKING

COST = CostModel(
    kernel_ns={"forward": 4 * MS, "other": 4 * MS, "clear": MS},
    h2d_ns=MS,
    d2h_ns=MS,
    pageable_factor=1,
    launch_ns=5 * US,
    event_ns=US,
    occupancy=300,
    kernel_bandwidth=200,
)

ROWS = 4


@dataclass(frozen=True)
class Setting:
    """What a snippet works with."""

    device: VirtualDevice
    default: Stream
    forward: Kernel
    other: Kernel
    clear: Kernel
    host_in: Buffer
    inputs: Buffer
    out: Buffer
    pinned_out: Buffer
    pageable_out: Buffer


def setting() -> Setting:
    """A device with nothing queued."""
    device = VirtualDevice(Settings(COST, compute=False))

    def memory(resource: str, on_host: bool = False, pinned: bool = True) -> Buffer:
        return device.buffer(resource, "x", (ROWS,), on_host=on_host, pinned=pinned)

    def kernel(name: str, reads: Buffer | None, writes: Buffer) -> Kernel:
        sources = () if reads is None else (reads.first(ROWS),)
        return Kernel(name, name, sources, (writes.first(ROWS),), None)

    inputs, out = memory("device inputs"), memory("device outputs")
    return Setting(
        device,
        device.stream("default", StreamKind.DEFAULT),
        kernel("forward", inputs, out),
        kernel("other", None, memory("other results")),
        kernel("clear", None, memory("scratch")),
        memory("host inputs", on_host=True),
        inputs,
        out,
        memory("host outputs", on_host=True),
        memory("host outputs", on_host=True, pinned=False),
    )


def between(streams: str) -> VirtualDevice:
    """Something small on the default stream, between work on two other streams."""
    s = setting()
    one, two = (s.device.stream(name, StreamKind(streams)) for name in ("one", "two"))
    one.launch(s.forward)
    s.default.launch(s.clear)
    two.launch(s.other)
    return s.device


def snippet_a() -> VirtualDevice:
    """A side stream computes, the default stream copies."""
    s = setting()
    device, default, forward = s.device, s.default, s.forward
    out, host_out = s.out, s.pinned_out
    done = device.event("done")
    side = device.stream("side", NON_BLOCKING)
    side.launch(forward)
    default.copy(host_out, out, 4)
    default.record(done)
    done.synchronize()
    device.read("results", host_out, 4)
    return device


def snippet_b() -> VirtualDevice:
    """Everything on the default stream."""
    s = setting()
    device, default, forward = s.device, s.default, s.forward
    inputs, host_in, out, host_out = s.inputs, s.host_in, s.out, s.pinned_out
    done = device.event("done")
    default.copy(inputs, host_in, 4)
    default.launch(forward)
    default.copy(host_out, out, 4)
    default.record(done)
    done.synchronize()
    device.read("results", host_out, 4)
    return device


def snippet_c() -> VirtualDevice:
    """Something on the default stream between blocking streams."""
    s = setting()
    device, default, forward, other, clear = s.device, s.default, s.forward, s.other, s.clear
    one = device.stream("one", BLOCKING)
    two = device.stream("two", BLOCKING)
    one.launch(forward)
    default.launch(clear)
    two.launch(other)
    return device


def snippet_d() -> VirtualDevice:
    """A side stream computes, the default stream waits for it and copies."""
    s = setting()
    device, default, forward = s.device, s.default, s.forward
    out, host_out = s.out, s.pinned_out
    ready, done = device.event("ready"), device.event("done")
    side = device.stream("side", NON_BLOCKING)
    side.launch(forward)
    side.record(ready)
    default.wait(ready)
    default.copy(host_out, out, 4)
    default.record(done)
    done.synchronize()
    device.read("results", host_out, 4)
    return device


def snippet_e() -> VirtualDevice:
    """The default stream alone, and the host reads when the call has returned."""
    s = setting()
    device, default, forward = s.device, s.default, s.forward
    out, host_out = s.out, s.pinned_out
    default.launch(forward)
    default.copy(host_out, out, 4)
    device.read("results", host_out, 4)
    return device


def snippet_f() -> VirtualDevice:
    """Non-blocking streams, and a copy to pageable memory."""
    s = setting()
    device, forward, other = s.device, s.forward, s.other
    out, pageable_out = s.out, s.pageable_out
    one = device.stream("one", NON_BLOCKING)
    two = device.stream("two", NON_BLOCKING)
    one.launch(forward)
    one.copy(pageable_out, out, 4)
    two.launch(other)
    device.read("results", pageable_out, 4)
    return device
