"""How long the server works to show one instant of a recorded run, and to record it.

    python benchmarks/stepper.py

Records 64 steps at batch 8 of a correct and of a racing mode, then looks at 300 random instants
of each: everything the stepper shows, with the content of all buffers. Prints processor time.
Returns 1 where the slowest instant takes longer than the promised 200 ms.
"""

import random
import statistics
import sys
import time

from engine import configure
from engine.recording.recording import Recording, record

PROMISED_MS = 200
INSTANTS = 300


def look_ms(recording: Recording, at_ns: int) -> float:
    """Rebuild all that holds at an instant."""
    start = time.process_time()
    resources = {info.resource for info in recording.run.device.log.buffers}
    recording.at(at_ns)
    recording.buffers_at(at_ns, *resources)
    return 1000 * (time.process_time() - start)


def measure(mode: str) -> float:
    """Print one mode's figures; returns the slowest instant (ms)."""
    config = configure(mode, steps=64, batch=8)
    record(config)  # the kernels are remembered from here on, as they are in the lab
    start = time.process_time()
    recording = record(config)
    recorded_ms = 1000 * (time.process_time() - start)
    first_ms = look_ms(recording, recording.run.wall_ns // 2)
    draw = random.Random(1)
    times = sorted(look_ms(recording, draw.choice(recording.times)) for _ in range(INSTANTS))
    print(
        f"{mode}: recorded in {recorded_ms:.0f} ms; {len(recording.times)} instants; first look "
        f"{first_ms:.1f} ms, then median {statistics.median(times):.1f} ms, "
        f"slowest {times[-1]:.1f} ms"
    )
    return max(first_ms, times[-1])


if __name__ == "__main__":
    sys.exit(int(max(measure(mode) for mode in ("async", "no-wait-h2d")) > PROMISED_MS))
