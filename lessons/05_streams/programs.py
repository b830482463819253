"""Lesson 05's programs: what two streams can do at once, and what they cannot.

Kernels move no data here. What matters is how long each takes alone, how much of the device it
fills (occupancy) and how much of the memory bandwidth, both in permille.
"""

from engine.device.api import Kernel
from engine.device.cost import MS, US, CostModel
from engine.device.settings import Settings
from engine.device.virtual import VirtualDevice

SMALL = (400, 200)
"""Two of these fit beside each other."""

GEMM = (1000, 500)
"""A large matrix product fills every multiprocessor."""

MEMORY = (400, 900)
"""A kernel that is all reading and writing: few multiprocessors, nearly all the bandwidth."""

KINDS = {"GEMM": GEMM, "memory-bound": MEMORY, "small": SMALL}


def device_for(kind: tuple[int, int], launch_ns: int, **kernel_ns: int) -> VirtualDevice:
    """A device whose kernels are of one kind and take so long."""
    occupancy, bandwidth = kind
    return VirtualDevice(
        Settings(
            CostModel(
                kernel_ns=kernel_ns,
                host_ns={"other work": 2 * MS},
                launch_ns=launch_ns,
                occupancy=occupancy,
                kernel_bandwidth=bandwidth,
            ),
            compute=False,
        )
    )


def kernel(name: str) -> Kernel:
    """A kernel that takes what its name takes."""
    return Kernel(name, name, (), (), None)


def three_kernels(streams: str, kernels: str) -> VirtualDevice:
    """Three small kernels, each on a stream of its own, or all on one."""
    length_ns = 40 * US if kernels == "40 µs" else 4 * US
    device = device_for((300, 200), 10 * US, A=length_ns, B=length_ns, C=length_ns)
    queues = [device.stream(f"stream {n}") for n in range(3 if streams == "three" else 1)]
    for number, name in enumerate("ABC"):
        queues[number % len(queues)].launch(kernel(name))
    return device


def two_kernels(kernels: str, streams: str) -> VirtualDevice:
    """Two kernels of 6 ms each, on two streams or on one."""
    device = device_for(KINDS[kernels], 5 * US, A=6 * MS, B=6 * MS)
    one = device.stream("stream 0")
    two = device.stream("stream 1") if streams == "two" else one
    one.launch(kernel("A"))
    two.launch(kernel("B"))
    return device


def urgent(priority: str) -> VirtualDevice:
    """A long kernel, and 2 ms later a short one that somebody is waiting for."""
    device = device_for(GEMM, 5 * US, long=10 * MS, short=1 * MS)
    background = device.stream("background")
    urgent = device.stream("urgent", priority=-1 if priority == "high" else 0)
    background.launch(kernel("long"))
    with device.host("other work"):
        urgent.launch(kernel("short"))
    return device


def program_1() -> VirtualDevice:
    """The first of the exercise."""
    device = device_for(SMALL, 100 * US, A1=3 * MS, A2=3 * MS, B=4 * MS)
    one, two = device.stream("one"), device.stream("two")
    A1, A2, B = kernel("A1"), kernel("A2"), kernel("B")  # noqa: N806 - as the text has them
    one.launch(A1)
    one.launch(A2)
    two.launch(B)
    return device


def program_2() -> VirtualDevice:
    """The second: large kernels."""
    device = device_for(GEMM, 100 * US, X=4 * MS, Y=4 * MS, Z=2 * MS)
    one, two = device.stream("one"), device.stream("two")
    X, Y, Z = kernel("X"), kernel("Y"), kernel("Z")  # noqa: N806
    one.launch(X)
    two.launch(Y)
    one.launch(Z)
    return device


def program_3() -> VirtualDevice:
    """The third: priorities."""
    device = device_for(GEMM, 100 * US, L=8 * MS, S=1 * MS)
    low, high = device.stream("low"), device.stream("high", priority=-1)
    L, S = kernel("L"), kernel("S")  # noqa: N806
    low.launch(L)
    with device.host("other work"):
        high.launch(S)
    return device
