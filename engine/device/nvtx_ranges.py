"""Ranges for NVIDIA's tools: Nsight Systems shows them beside what the GPU does.

The library says whether a tool has put itself in its place when the process started; where none
has, nobody is told of anything, and nothing is spent on it.
"""

from typing import Any

from engine.device.ranges import Profiler

try:
    import nvtx
except ImportError:  # there is none for macOS
    nvtx = None

DOMAIN = "overlap-lab"
"""The group under which a tool lists the ranges."""


class NvtxRanges:
    """Ranges in an NVTX domain; a step's number is its payload."""

    def __init__(self, domain: Any) -> None:  # noqa: ANN401 - the library has no types
        self._domain = domain

    def push(self, name: str) -> None:
        """A span begins."""
        self._domain.push_range(self._domain.get_event_attributes(message=name))

    def pop(self) -> None:
        """The span that began last ends."""
        self._domain.pop_range()

    def begin(self, step: int) -> int:
        """A step begins; returns the range's number."""
        attributes = self._domain.get_event_attributes(message="step", payload=step)
        return int(self._domain.start_range(attributes))

    def end(self, handle: int) -> None:
        """The step of that range ends."""
        self._domain.end_range(handle)


def nvtx_listener() -> Profiler | None:
    """Ranges for the tool that listens; None where none does."""
    if nvtx is None:
        return None
    domain = nvtx.get_domain(DOMAIN)
    return NvtxRanges(domain) if isinstance(domain, nvtx.Domain) else None
