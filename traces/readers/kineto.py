"""What an event of a profiler file is, by its category and name (PyTorch/Kineto first).

Knows the names of today and of 2020/21, of CUDA, ROCm and XPU. An event that is in none
of the categories is plain host work of a generic Chrome trace.
"""

import re
from typing import NamedTuple

import msgspec

from traces.readers.event_repair import Scalar
from traces.schema import NONE


class Role(NamedTuple):
    """The span kind of an event, whether it ran on a GPU, and whether the category is one
    of a profiler's (then its args are known and only a few are kept)."""

    kind: str
    on_gpu: bool
    is_profiler: bool


class GpuArgs(msgspec.Struct, gc=False):
    """The args that place an operation: numbers, or text in some old files."""

    device: Scalar = None
    stream: Scalar = None
    correlation: Scalar = None
    correlation_id: Scalar = None
    """The same in JAX's words."""
    bytes: Scalar = None
    wait_on_stream: Scalar = None
    wait_on_cuda_event_record_corr_id: Scalar = None
    """Of a stream's wait for an event."""


GENERIC = Role("host", False, False)
MARKER = "marker"
"""Role kind of what the profiler says about itself: no work, and no part of the extent."""

CATEGORIES: dict[str, Role] = {
    "kernel": Role("kernel", True, True),
    "mtia_ccp_events": Role("kernel", True, True),
    "gpu_memcpy": Role("copy", True, True),
    "memcpy": Role("copy", True, True),
    "gpu_memset": Role("memset", True, True),
    "memset": Role("memset", True, True),
    "gpu_user_annotation": Role("annotation", True, True),
    "mlu_memcpy": Role("copy", True, True),
    "mlu_memset": Role("memset", True, True),
    "user_annotation": Role("annotation", False, True),
    "cpu_op": Role("op", False, True),
    "operator": Role("op", False, True),
    "python_function": Role("python", False, True),
    "overhead": Role("overhead", False, True),
    "hpu_op": Role("op", False, True),
    "graph_host_node": Role("host", False, True),
    "collective_comm": Role("annotation", False, True),
    "external_correlation": Role(MARKER, False, True),
    "fee": Role("python", False, False),  # VizTracer's function entry and exit
    "trace": Role(MARKER, False, True),
} | {
    name: Role("runtime", False, True)
    for name in (
        "mlu_runtime",
        "runtime",
        "cuda_runtime",
        "cuda_driver",
        "xpu_runtime",
        "xpu_driver",
        "mtia_runtime",
        "glow_runtime",
        "privateuse1_runtime",
        "privateuse1_driver",
    )
}
CATEGORIES |= {
    name: Role("annotation", True, True)
    for name in (
        "cuda_sync",
        "xpu_sync",
        "cuda_event",
        "cuda_profiler_range",
        "mlu_profiler_range",
        "mlu_user_annotation",
        "mtia_insight",
        "xpu_scope_profiler",
    )
}
DIGITS = re.compile(r"-?[0-9]{1,18}")
MAX_NUMBER = 1 << 62
LEGACY_GPU_PID = "CUDA functions"
MARKERS = re.compile(r"Iteration Start: |Record Window End$")
GPU_CALL = re.compile(r"(?:cuda|cu|hip|ur|ze)[A-Z]")
ENQUEUE_CALL = re.compile(r"Enqueue(?:Kernel|USM|Mem|DeviceGlobal)|AppendMemory")
SYNC_CALL = re.compile(r"Synchronize|Memcpy(?!\w{0,40}Async)|QueueFinish|EventWait$")
LAUNCH_CALL = re.compile(r"Launch(?!HostFunc)|Memcpy\w{0,40}Async|Memset|ExecuteCommandList")
CALL_LETTERS = 256
"""No call's name has more."""

DIRECTIONS = {
    "HtoD": "h2d",
    "DtoH": "d2h",
    "H2D": "h2d",
    "D2H": "d2h",
    "M2D": "h2d",  # XPU: from and to unregistered memory
    "D2M": "d2h",
    "HOST_TO_DEVICE": "h2d",
    "DEVICE_TO_HOST": "d2h",
}
LAUNCH_FLOWS = frozenset({"ac2g", "async", "async_gpu", "async_cpu_to_gpu", "cpu_to_cuda"})


def role_of(category: str, name: str, pid: Scalar) -> Role:
    """What an event with a duration is."""
    role = CATEGORIES.get(category.lower(), GENERIC)
    if pid == LEGACY_GPU_PID and not category:
        role = CATEGORIES["memcpy" if name.startswith("Memcpy") else "kernel"]
    if role is GENERIC:
        return role._replace(kind=host_kind(name))
    if role.kind == "copy":
        return role._replace(kind=copy_kind(name))
    if role.kind == "runtime":
        return role._replace(kind=call_kind(name))
    return role


def is_marker(name: str) -> bool:
    """Whether an instant is one of the profiler's own marks."""
    return MARKERS.match(name) is not None


def number(value: object, fallback: int = NONE) -> int:
    """An id as an int: also from text such as "stream 7"; `fallback` where there is none."""
    if isinstance(value, str):
        digits = DIGITS.search(value)
        return int(digits[0]) if digits else fallback
    if not isinstance(value, int | float) or not -MAX_NUMBER < value < MAX_NUMBER:
        return fallback
    return int(value)


def copy_kind(name: str) -> str:
    """The span kind of a copy, by the direction in its name."""
    return next((kind for sign, kind in DIRECTIONS.items() if sign in name), "copy")


def call_kind(name: str) -> str:
    """The span kind of a call to a GPU's runtime or driver."""
    name = name[:CALL_LETTERS]
    if ENQUEUE_CALL.search(name):
        return "launch"
    if SYNC_CALL.search(name):
        return "sync"
    return "launch" if LAUNCH_CALL.search(name) else "runtime"


def host_kind(name: str) -> str:
    """The kind of a host's span by its name: a call to a GPU's runtime, else plain work."""
    return call_kind(name) if GPU_CALL.match(name) else "host"
