"""The same run seen by PyTorch's profiler: recorded beside our own trace, and held against it.

The profiler writes down every operator of every thread. Host spans are annotations in it, and a
step is what its viewers take for one: from the beginning of a batch's preparation to that of the
next (`ProfilerStep#N`), for annotations of one thread cannot overlap.
"""

import gzip
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from torch._C._profiler import _ExperimentalConfig
from torch.profiler import ProfilerActivity, profile, record_function

from engine.config import ConfigError, RunConfig
from engine.device.api import HostSpan
from engine.devices import DEVICES
from engine.execution import Run, execute
from engine.results.service import step_times
from traces import Trace, open_trace
from traces.output import write_whole

STEP = "ProfilerStep#"


@dataclass(slots=True)
class TorchRanges:
    """Host spans and steps as the profiler's annotations."""

    _open: list[record_function] = field(default_factory=list)
    _step: record_function | None = None

    def push(self, name: str) -> None:
        """A span begins."""
        self._open.append(_opened(name))

    def pop(self) -> None:
        """The span that began last ends."""
        _close(self._open.pop())

    def begin(self, step: int) -> None:
        """A step begins: that is where the one before ends."""
        self.close()
        self._step = _opened(f"{STEP}{step}")

    def end(self, handle: None) -> None:
        """A batch is done, and the next one under way: its step ended when that began."""

    def close(self) -> None:
        """The last step ends."""
        if self._step is not None:
            _close(self._step)
            self._step = None


def _opened(name: str) -> record_function:
    annotation = record_function(name)
    annotation.__enter__()
    return annotation


def _close(annotation: record_function) -> None:
    annotation.__exit__(None, None, None)


@dataclass(frozen=True, slots=True)
class Recording:
    """The profiler's recording of what happened in `recording()`."""

    ranges: TorchRanges
    profiler: profile

    def write(self, path: Path) -> None:
        """Write the recording in PyTorch's own format, compressed if the name ends in .gz.

        Raises OSError.
        """
        with TemporaryDirectory() as folder:  # the profiler's own writer fails without a word
            plain = Path(folder) / "trace.json"
            self.profiler.export_chrome_trace(str(plain))
            data = plain.read_bytes()
        write_whole(path, gzip.compress(data) if path.suffix == ".gz" else data)


@contextmanager
def recording() -> Iterator[Recording]:
    """Record what every thread does; the ranges are to be told of steps and spans."""
    os.environ.setdefault("KINETO_LOG_LEVEL", "9")  # or it notes its start on stderr
    every_thread = _ExperimentalConfig(profile_all_threads=True)
    ranges = TorchRanges()
    with profile(activities=[ProfilerActivity.CPU], experimental_config=every_thread) as profiler:
        _close(_opened("first annotation"))  # which takes a millisecond longer than all others
        try:
            yield Recording(ranges, profiler)
        finally:
            ranges.close()


def run_profiled(config: RunConfig, path: Path) -> tuple[Run, dict[str, float]]:
    """Run a configuration, write the profiler's recording, and compare the two traces.

    Raises ConfigError where nothing real is timed, OSError where the file cannot be written, and
    what `execute` raises.
    """
    if not DEVICES[config.device].measures:
        raise ConfigError(f"a profiler times real work, and {config.device!r} models it")
    with recording() as recorded:
        result = execute(config, profiler=recorded.ranges)
    recorded.write(path)
    return result, agreement(result.device.spans, open_trace(path))


def step_differences(spans: Iterable[HostSpan], recorded: Trace) -> list[int]:
    """How far the two traces differ (ns) in the time from each step's beginning to the next's."""
    begun = step_times(spans).begun
    seen = recorded.spans[recorded.spans["name"].str.startswith(STEP)]
    steps = seen["name"].str.removeprefix(STEP).astype(int)
    theirs = dict(zip(steps, seen["ts_ns"], strict=True))
    return [
        abs(int(theirs[after] - theirs[before]) - (begun[after] - begun[before]))
        for before, after in pairwise(sorted(begun))
        if before in theirs and after in theirs
    ]


def agreement(spans: Iterable[HostSpan], recorded: Trace) -> dict[str, float]:
    """In how many step times, and by how much (ms), the two traces can be compared."""
    differences = step_differences(spans, recorded)
    return {
        "steps": len(differences),
        "median_difference_ms": median(differences) / 1e6 if differences else 0.0,
        "largest_difference_ms": max(differences, default=0) / 1e6,
    }
