"""Everything that needs a GPU, in one command of less than eight minutes on one large GPU.

    python -m benchmarks.gpu_check --out on-gpu

Each part (benchmarks/gpu_parts.py) has a process and a time limit of its own: what fails, hangs or
upsets the GPU is told in the report and does not keep the rest from being run. Parts that matter
most come first, and none is begun without time for it. Writes report.md and the traces to the
folder ($OUT where that is set). Returns 1 where a part failed or was not run.

    python -m benchmarks.gpu_check --device threads --models tiny --out trial

tries the script itself without a GPU.
"""

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

TOTAL_S = 470
LEAST = 0.5
"""A part is begun only where this share of its limit is left."""


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the report: what runs it, and for how long at most (s)."""

    title: str
    command: tuple[str, ...]
    limit_s: float


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a part wrote, and why it is not all there is (empty where it is)."""

    part: Part
    text: str
    fault: str
    seconds: float = 0.0


Runner = Callable[[Part, float], Outcome]


def plan(device: str, models: Iterable[str], out: Path) -> list[Part]:
    """The parts, the most important first."""

    def part(title: str, limit_s: float, *arguments: str) -> Part:
        module = (sys.executable, "-m", "benchmarks.gpu_parts")
        return Part(title, (*module, *arguments, "--device", device, "--out", str(out)), limit_s)

    parts = [part("Machine", 20, "machine"), part("The default stream", 25, "default-stream")]
    parts += [
        part(f"Overlap, model {name}", MODEL_S.get(name, 60), "overlap", "--model", name)
        for name in models
    ]
    parts.append(part("Races, held open", 70, "races"))
    if device == "cuda":
        tests = (sys.executable, "-m", "pytest", "-q", "-n", "0", "-m", "gpu", "tests/engine")
        parts.append(Part("Tests that need a GPU", tests, 90))
    parts.append(part("transformers, its own continuous batching", 75, "transformers"))
    return parts


MODEL_S = {"0.1b": 40, "1b": 55, "8b": 90}
"""Limits of the models' parts (s); 60 for others."""


def check(
    parts: Iterable[Part], run_part: Runner, total_s: float,
    clock: Callable[[], float] = time.monotonic,
) -> Iterator[Outcome]:  # fmt: skip
    """Run one part after the other, each within its limit and within what is left of the total."""
    began = clock()
    for part in parts:
        left_s = total_s - (clock() - began)
        if left_s < LEAST * part.limit_s:
            yield Outcome(part, "", f"not run: {max(0.0, left_s):.0f} s were left")
        else:
            yield run_part(part, min(part.limit_s, left_s))


def run_part(part: Part, limit_s: float) -> Outcome:
    """Run a part's command; what it wrote before it failed or was stopped is kept."""
    began = time.monotonic()
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    try:
        done = subprocess.run(
            part.command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=limit_s,
            env=environment, check=False,
        )  # fmt: skip
        output, code = done.stdout, done.returncode
        fault = f"failed: it ended with {code}" if code else ""
    except subprocess.TimeoutExpired as error:
        output, fault = error.stdout or b"", f"stopped after {limit_s:.0f} s"
    except OSError as error:
        output, fault = b"", f"failed: {error}"
    text = output.decode("utf-8", "replace")
    return Outcome(part, text, fault, time.monotonic() - began)


def section(outcome: Outcome) -> str:
    """A part of the report, as Markdown."""
    fault = f"**This part {outcome.fault}.**\n\n" if outcome.fault else ""
    return (
        f"\n## {outcome.part.title} ({outcome.seconds:.0f} s)\n\n{fault}{outcome.text.rstrip()}\n"
    )


def missing(device: str) -> str:
    """Why the device cannot be used here; asked of a process that ends, and frees the GPU."""
    code = f"from engine.devices import DEVICES; print(DEVICES[{device!r}].missing())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else done.stderr.strip().splitlines()[-1]


def main() -> int:
    """Run every part; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.gpu_check", description=__doc__)
    parser.add_argument("--device", default="cuda", choices=["cuda", "threads"])
    parser.add_argument("--models", nargs="+", default=["1b", "8b", "0.1b"])
    parser.add_argument("--out", type=Path, default=Path(os.environ.get("OUT", "on-gpu")))
    parser.add_argument("--seconds", type=float, default=TOTAL_S)
    options = parser.parse_args()
    if why := missing(options.device):
        print(why, file=sys.stderr)
        return 2
    options.out.mkdir(parents=True, exist_ok=True)
    report = options.out / "report.md"
    report.write_text(f"# On `{options.device}`\n", encoding="utf-8")
    faults = 0
    for outcome in check(
        plan(options.device, options.models, options.out), run_part, options.seconds
    ):
        text = section(outcome)
        print(text, flush=True)
        with report.open("a", encoding="utf-8") as file:
            file.write(text)
        faults += bool(outcome.fault)
    return int(faults > 0)


if __name__ == "__main__":
    sys.exit(main())
