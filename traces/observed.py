"""The time that a device's idle shares are shares of: what its gaps and its busy time add up to."""

from traces.activity import DeviceActivity
from traces.gaps import wall_ns
from traces.schema import Trace


def observed_ns(trace: Trace, device: DeviceActivity) -> int:
    """The run (our own dumps), or from the device's first to its last operation, in ns."""
    start, end = wall_ns(trace) if trace.is_engine_dump else (device.start_ns, device.end_ns)
    return end - start
