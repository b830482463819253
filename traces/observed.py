"""How idle each device was, on the one base that every share told of a trace refers to.

A run of this lab: time without a kernel, of the run from the first host work to its end. Any
other trace: time without a kernel, copy or memset, of the time from the device's first to its last
operation; what came before and after was not recorded.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from traces.activity import DeviceActivity
from traces.gap import Gap
from traces.gaps import wall_ns
from traces.schema import Trace


@dataclass(frozen=True)
class DeviceIdle:
    """One device: idle for `idle_ns` of `of_ns`."""

    device: int
    idle_ns: int
    of_ns: int

    @property
    def share(self) -> float:
        """Idle share of the base, 0 to 1."""
        return self.idle_ns / self.of_ns if self.of_ns else 0.0

    @property
    def active(self) -> float:
        """The rest of the base, 0 to 1; 0 as well where the device did nothing for any time."""
        return (self.of_ns - self.idle_ns) / self.of_ns if self.of_ns else 0.0


def idle_of(
    trace: Trace, devices: Sequence[DeviceActivity], gaps: Sequence[Gap]
) -> list[DeviceIdle]:
    """Each device's idle time; what its gaps add up to, so that all figures agree."""
    sums = {device.device: 0 for device in devices}
    for gap in gaps:
        sums[gap.device] = sums.get(gap.device, 0) + gap.ns
    return [DeviceIdle(d.device, sums[d.device], observed_ns(trace, d)) for d in devices]


def observed_ns(trace: Trace, device: DeviceActivity) -> int:
    """The run (our own dumps), or from the device's first to its last operation, in ns."""
    start, end = wall_ns(trace) if trace.is_engine_dump else (device.start_ns, device.end_ns)
    return end - start
