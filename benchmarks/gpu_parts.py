"""The parts of the check on a GPU; each is run in a process of its own by benchmarks.gpu_check.

    python -m benchmarks.gpu_parts overlap --model 1b --device cuda --out on-gpu

Each prints Markdown as it goes, so that what is there is kept when the part is stopped. Returns 1
where something is not as it must be; what is only slower than hoped is told and no failure.
"""

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

from benchmarks.default_stream import reads_what_was_written
from benchmarks.measured_races import try_mode
from benchmarks.race_modes import RACING
from benchmarks.report import machine, table
from benchmarks.steady import Steady, padded, pair, saved, shapes, steady
from benchmarks.transformers_batching import installed, random_llama, seconds
from engine import Run, execute
from engine.devices import DEVICES
from engine.model.sizes import MODELS
from engine.oplog import StreamKind
from engine.results.token_diff import diff_tokens
from traces import write_trace

BATCH = 32
ACTIVE, SAVED = 0.994, 0.92
"""Goals with graphs: GPU active, and the share of the possible saving."""

WIDEN_MS, STEPS = 10, 8
CORRECT = ("sync", "async", "graph-replay", "pageable", "blocking-streams", "temporary-outputs")
SIZE = "1b"
"""The size at which transformers' batching runs beside ours."""


class NotAsExpected(RuntimeError):  # noqa: N818 - a finding, told in the report
    """Something came out wrong; the message is one sentence."""


def tell_machine(options: argparse.Namespace) -> Iterator[str]:
    """What this is run on."""
    yield machine()


def tell_default_stream(options: argparse.Namespace) -> Iterator[str]:
    """Whether work on the legacy default stream stalls other streams, or they race it."""
    for kind in (StreamKind.NON_BLOCKING, StreamKind.BLOCKING):
        stalled = reads_what_was_written(options.device, kind)
        answer = "waits for it (a stall)" if stalled else "reads before it has written (a race)"
        yield f"- Behind slow work on the default stream, a {kind.value} stream {answer}."
        if stalled is (kind is StreamKind.NON_BLOCKING):
            raise NotAsExpected(f"CUDA's rules say otherwise of {kind.value} streams")


def tell_overlap(options: argparse.Namespace) -> Iterator[str]:
    """A model synchronously and asynchronously, with graphs and with single launches."""
    execute(padded("async", options.device, options.model, BATCH, graphs=False))  # warms up
    wrong = []
    for graphs in (True, False):
        runs = pair(options.device, options.model, BATCH, graphs)
        kind = "graphs" if graphs else "launches"
        yield from _pair_lines(runs, kind)
        for run in runs:
            name = f"{options.model}-{run.config.mode}-{kind}.json.gz"
            write_trace(run.trace, options.out / name)
        differ = _differing(runs)
        hazards = sum(len(run.hazards) for run in runs)
        yield f"- Tokens that differ: {differ} of {_tokens(runs[0])}. Hazards: {hazards}."
        if graphs:
            yield f"- Shapes replayed: {shapes(runs[0])} and {shapes(runs[1])}."
        if hazards or (graphs and differ):
            wrong.append(kind)
    if wrong:
        raise NotAsExpected(f"tokens or hazards, with {' and '.join(wrong)}")


def _pair_lines(runs: tuple[Run, Run], kind: str) -> Iterator[str]:
    sync, overlapped = paces = tuple(map(steady, runs))
    rows = [_row(run, pace) for run, pace in zip(runs, paces, strict=True)]
    yield f"\nBatch {BATCH}, {kind}, the middle third of the steps:\n"
    yield table(("mode", "GPU active", "ms a step", "max(G, C + F)", "anchor error"), rows)
    share = saved(sync, overlapped)
    verdict = "met" if overlapped.active >= ACTIVE and share >= SAVED else "missed"
    yield (
        f"- Async takes {overlapped.step_ms / sync.step_ms:.3f} of the time: {share:.2f} of the "
        f"saving that is possible (goals: {SAVED}, and {ACTIVE:.1%} active: {verdict})."
    )


def _row(run: Run, pace: Steady) -> tuple[str, ...]:
    anchor_us = run.device.measured.get("anchor_error_ns", 0) / 1000
    return (
        run.config.mode, f"{pace.active:.2%}", f"{pace.step_ms:.3f}", f"{pace.bound_ms:.3f} ms",
        f"{anchor_us:.1f} µs",
    )  # fmt: skip


def _differing(runs: tuple[Run, Run]) -> int:
    sync, overlapped = runs
    return diff_tokens(overlapped.requests, sync.requests, overlapped.steps, cut=False).count


def _tokens(run: Run) -> int:
    return sum(request.committed for request in run.requests)


def tell_races(options: argparse.Namespace) -> Iterator[str]:
    """Racing modes held open give wrong tokens, correct ones never do."""
    surprises = []
    for mode in (*RACING, *CORRECT):
        found = try_mode(mode, options.device, runs=1, steps=STEPS, widen_ms=WIDEN_MS)
        verdict = "as expected" if found.as_it_should else "NOT AS EXPECTED"
        yield f"- `{mode}`: tokens {'wrong' if found.wrong else 'right'}, {verdict}"
        if not found.as_it_should:
            surprises.append(mode)
    if surprises:
        raise NotAsExpected(f"not as expected: {', '.join(surprises)}")


def tell_transformers(options: argparse.Namespace) -> Iterator[str]:
    """The batching of transformers, where it is installed, beside ours above."""
    if not installed() or DEVICES[options.device].where == "cpu":
        yield "Not run: it takes transformers, installed, and a GPU."
        return
    yield f"transformers {installed()}, a Llama of the sizes of `{SIZE}`, batch {BATCH}:\n"
    model = random_llama(SIZE)
    sync_s, sync_tokens = seconds(model, BATCH, asynchronous=False)
    async_s, async_tokens = seconds(model, BATCH, asynchronous=True)
    yield f"- sync {sync_s:.3f} s, async {async_s:.3f} s, ratio {async_s / sync_s:.3f}"
    yield f"- the same tokens: {'yes' if sync_tokens == async_tokens else 'no'}"


PARTS = {
    "machine": tell_machine,
    "default-stream": tell_default_stream,
    "overlap": tell_overlap,
    "races": tell_races,
    "transformers": tell_transformers,
}


def main() -> int:
    """Run one part and print what it says; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.gpu_parts", description=__doc__)
    parser.add_argument("part", choices=PARTS)
    parser.add_argument("--device", default="cuda", choices=["cuda", "threads"])
    parser.add_argument("--model", default=SIZE, choices=MODELS)
    parser.add_argument("--out", type=Path, default=Path("on-gpu"))
    options = parser.parse_args()
    try:
        for line in PARTS[options.part](options):
            print(line, flush=True)
    except NotAsExpected as error:
        print(f"\nNOT AS EXPECTED: {error}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
