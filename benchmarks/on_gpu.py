"""The first minutes on a GPU: everything that this repository claims of one and could not run.

    python benchmarks/on_gpu.py --out on-gpu

Runs the tests marked `gpu` (the conformance suite and whole runs), the synchronous and the
asynchronous engine with models of about 1 and 8 billion parameters at batch 32, the racing modes
held open, and asks the GPU whether work on the legacy default stream stalls PyTorch's streams.
Writes report.md and the traces to the folder. What fails is told in the report and does not keep
the rest from being run; nothing new is begun after `--seconds`. Returns 1 where anything failed.

    python benchmarks/on_gpu.py --device threads --models tiny --out trial

tries the script itself without a GPU (the tests and the question about streams are left out).
"""

import argparse
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import torch

from engine import run
from engine.device.api import Kernel
from engine.device.cost import CostModel
from engine.device.settings import Settings
from engine.devices import DEVICES
from engine.modes import MODES
from engine.oplog import StreamKind
from traces import write_trace

BATCH, STEPS, WORKLOAD = 32, 60, "even"
FAR = ("window-on-scheduled", "kv-released-at-once", "freed-on-scheduled", "cancel-at-once")
"""Modes that race only after many steps."""

RACING = [name for name, mode in MODES.items() if "H" in mode.expect and name not in FAR]
CORRECT = ("sync", "async", "graph-replay", "pageable", "blocking-streams", "temporary-outputs")
WIDEN_MS = 20
SLEPT_CYCLES = 200_000_000

Lines = Iterator[str]


@dataclass
class Report:
    """A Markdown page, one part after the other, within `seconds`."""

    out: Path
    seconds: float
    began: float = field(default_factory=time.perf_counter)
    failed: bool = False

    def part(self, title: str, lines: Callable[[], Lines]) -> None:
        """Run a part and write down what it says, or why it could not be run."""
        self._write(f"\n## {title}\n")
        if time.perf_counter() - self.began > self.seconds:
            self._write("Not run: no time was left.")
            self.failed = True
            return
        try:
            for line in lines():
                self._write(line)
        except Exception as error:  # whatever it is, the other parts are to be run
            self._write(f"FAILED: {type(error).__name__}: {error}")
            self.failed = True

    def _write(self, line: str) -> None:
        print(line, flush=True)
        with (self.out / "report.md").open("a", encoding="utf-8") as file:
            file.write(line + "\n")


def machine() -> Lines:
    """What this is run on."""
    name = torch.cuda.get_device_name() if torch.cuda.is_available() else "no GPU"
    yield f"{name}, PyTorch {torch.__version__}, CUDA {torch.version.cuda}"


def tests() -> Lines:
    """The tests that need a GPU. Raises RuntimeError where one fails."""
    command = [sys.executable, "-m", "pytest", "-q", "-n", "0", "-m", "gpu", "tests/engine"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    yield from (line for line in done.stdout.splitlines()[-40:] if line)
    if done.returncode:
        raise RuntimeError(f"pytest ended with {done.returncode}")


def overlap(device: str, model: str, out: Path) -> Lines:
    """Synchronous and asynchronous, side by side."""
    run("async", device=device, model=model, workload=WORKLOAD, batch=BATCH, steps=4)  # warms up
    yield "| mode | GPU active | ms a step | wrong tokens | hazards | anchor error (us) |"
    yield "|---|---|---|---|---|---|"
    for mode in ("sync", "async", "graph-replay"):
        result = run(
            mode, device=device, model=model, workload=WORKLOAD, batch=BATCH, steps=STEPS
        )  # fmt: skip
        wrong = result.token_diff.count if result.token_diff else 0
        figures, about = result.figures, result.trace.meta["run"]
        yield (
            f"| {mode} | {100 * figures.gpu_active:.1f} % | {figures.step_ms:.3f} | {wrong} | "
            f"{len(result.hazards)} | {about.get('anchor_error_ns', 0) / 1000:.1f} |"
        )
        write_trace(result.trace, out / f"{model}-{mode}.json.gz")


def races(device: str) -> Lines:
    """Racing modes held open give wrong tokens, correct ones never do. Raises RuntimeError."""
    surprises = []
    for mode in (*RACING, *CORRECT):
        result = run(mode, device=device, steps=24, widen_ms=WIDEN_MS)
        wrong = result.token_diff.count if result.token_diff else 0
        yield f"- {mode}: {wrong} wrong tokens, {len(result.hazards)} hazards"
        if (wrong > 0) is (mode in CORRECT):
            surprises.append(mode)
    if surprises:
        raise RuntimeError(f"not as expected: {', '.join(surprises)}")


def default_stream() -> Lines:
    """Does work on the legacy default stream hold up later work of other streams?"""
    for kind in (StreamKind.NON_BLOCKING, StreamKind.BLOCKING):
        device = DEVICES["cuda"].make(Settings(CostModel()))
        slow, other = device.stream("default", StreamKind.DEFAULT), device.stream("other", kind)
        done = device.event("slow done")
        slow.launch(Kernel("sleep", "layer", (), (), _asleep))
        slow.record(done)
        other.launch(Kernel("quick", "layer", (), (), lambda: lambda: None))
        other.synchronize()
        answer = "stalls behind" if done.query() else "runs beside"
        device.finish()
        device.close()
        yield f"A {kind.value} stream {answer} work on the default stream."


def _asleep() -> Callable[[], None]:
    torch.cuda._sleep(SLEPT_CYCLES)
    return lambda: None


def main() -> int:
    """Run every part; returns the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--device", default="cuda", choices=["cuda", "threads"])
    parser.add_argument("--models", nargs="+", default=["1b", "8b"])
    parser.add_argument("--out", type=Path, default=Path("on-gpu"))
    parser.add_argument("--seconds", type=float, default=480)
    options = parser.parse_args()
    device = options.device
    if missing := DEVICES[device].missing():
        print(missing, file=sys.stderr)
        return 2
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / "report.md").write_text("# On this machine\n", encoding="utf-8")
    report = Report(options.out, options.seconds)
    report.part("Machine", machine)
    if device == "cuda":
        report.part("The legacy default stream", default_stream)
    report.part("The trained model", partial(overlap, device, "trained", options.out))
    for name in options.models:
        report.part(f"Model {name}", partial(overlap, device, name, options.out))
    report.part(f"Races, held open for {WIDEN_MS} ms", partial(races, device))
    if device == "cuda":
        report.part("Tests", tests)
    return int(report.failed)


if __name__ == "__main__":
    sys.exit(main())
