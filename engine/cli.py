"""The command line: `python -m engine run | sweep | fit | modes | mechanisms | workloads`.

Exit code 0: done. 1: a verdict is bad and `--check` was given. 2: bad input, or a device that
failed, told in one line on stderr.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from engine.configuration import configure
from engine.device.cost import MS
from engine.device.cost_file import dump_cost
from engine.device.worker import DeviceError
from engine.execution import Run, execute
from engine.forks.fork import Fork, ForkError, make_fork
from engine.forks.report import fork_lines, fork_report
from engine.measured.fit import fit_cost
from engine.measured.step_fit import fit_steps
from engine.measured.torch_profile import run_profiled
from engine.mechanisms.page import mechanisms_page
from engine.mechanisms.switched import as_lines
from engine.results.report import (
    is_bad,
    mechanisms_report,
    modes_report,
    run_report,
    workloads_report,
)
from engine.run_options import add_run_options, configuration, instant, settings
from engine.sweep.command import add_sweep
from traces import TraceError, open_trace, write_trace
from traces.arguments import OneLineParser, one_line
from traces.output import check_place, confirmed, write_whole, writing

TOLD = (OSError, ValueError, DeviceError, TraceError)
"""What ends a command with one line: all that says bad input is a ValueError or one of these."""

FIT_STEPS = 60
"""So many steps of this machine are measured for a cost model."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit code."""
    options = _parser().parse_args(arguments)
    try:
        return int(options.command(options))
    except TOLD as error:
        print(f"engine: {one_line(error)}", file=sys.stderr)
        return 2


def _parser() -> argparse.ArgumentParser:
    parser = OneLineParser(prog="python -m engine", description="Run the lab's engine.")
    commands = parser.add_subparsers(required=True, metavar="run | sweep | fit | modes | ...")
    run = commands.add_parser("run", help="run a mode and print its figures and verdicts")
    run.set_defaults(command=_run)
    add_run_options(run)
    run.add_argument(
        "--fork-at", type=instant, metavar="MS",
        help="change something at this instant of the run, and compare with the run as it was",
    )  # fmt: skip
    run.add_argument(
        "--fork-set", action="append", default=[], nargs="+", metavar="NAME=VALUE",
        help="what the fork changes: toggles, and durations such as h2d=3x or compute=12ms",
    )  # fmt: skip
    run.add_argument("--out", type=Path, metavar="FILE.json.gz", help="write the trace")
    run.add_argument(
        "--profile", choices=["torch"],
        help="record the run with PyTorch's profiler as well, and write that recording instead",
    )  # fmt: skip
    run.add_argument("--check", action="store_true", help="exit with 1 when a verdict is bad")
    run.add_argument("--json", action="store_true", help="print one JSON object")
    add_sweep(commands)
    fit = commands.add_parser("fit", help="make a cost model from a measured run")
    fit.set_defaults(command=_fit)
    fit.add_argument(
        "trace", nargs="?", type=Path, metavar="TRACE",
        help="a trace with steps, of `run --out` or a profiler "
        "(default: measure this machine now, mode sync on threads)",
    )  # fmt: skip
    fit.add_argument("-o", "--out", type=Path, required=True, help="the JSON file to write")
    for name, command, text in (
        ("modes", _modes, "list the modes"),
        ("mechanisms", _mechanisms, "list every toggle with its values"),
        ("workloads", _workloads, "list the workloads"),
    ):
        sub = commands.add_parser(name, help=text)
        sub.add_argument("--json", action="store_true", help="print a JSON list")
        sub.set_defaults(command=command)
        if name == "mechanisms":
            sub.add_argument("--markdown", action="store_true", help="print docs/mechanisms.md")
    return parser


def _fork(options: argparse.Namespace) -> Fork | None:
    changes = settings(options.fork_set, "--fork-set")
    if options.fork_at is None and changes:
        raise ForkError("--fork-set says what changes: say when, with --fork-at MS")
    return None if options.fork_at is None else make_fork(options.fork_at, changes)


def _run(options: argparse.Namespace) -> int:
    if options.out is not None:
        check_place(options.out)
    config = configure(**configuration(options), fork=_fork(options))
    if options.profile is not None:
        if options.out is None:
            raise ValueError("--profile writes a recording: say where with --out FILE.json.gz")
        with writing(options.out):
            result, compared = run_profiled(config, options.out)
        report = run_report(result) | {"profile": compared}
    else:
        result = execute(config)
        report = run_report(result)
        if options.out is not None:
            with writing(options.out):
                write_trace(result.trace, options.out)
    if config.fork is not None:
        report["fork"] = fork_report(config)
    print(json.dumps(report) if options.json else _text(result, report, options.out))
    return 1 if options.check and is_bad(result) else 0


def _fit(options: argparse.Namespace) -> int:
    check_place(options.out)
    if options.trace is None:
        trace = execute(configure("sync", device="threads", steps=FIT_STEPS)).trace
    else:
        trace = open_trace(options.trace)
    fit = fit_cost if trace.is_engine_dump else fit_steps
    cost = fit(trace, options.out.stem)
    with writing(options.out):
        write_whole(options.out, dump_cost(cost))
    print(
        f"{cost.about} Host {cost.host_step_ns / MS:.3f} ms, device {cost.gpu_step_ns / MS:.3f} ms"
        f"\n{confirmed(options.out)}: use it with --cost"
    )
    return 0


def _text(result: Run, report: dict[str, Any], out: Path | None) -> str:
    lines = [
        f"{report['mode']} on {report['device']}: {report['steps']} steps in "
        f"{report['wall_ms']:.3f} ms, {report['step_ms']:.3f} ms a step",
        f"GPU active {100 * report['gpu_active']:.1f} % of the whole run (kernels alone), idle "
        f"{report['gpu_idle_ms']:.3f} ms",
        f"wrong tokens {report['wrong_tokens']} of {report['total_tokens']} positions "
        "(of either run)",
        f"hazards {len(report['hazards']) or 'none'}, invariants "
        + (f"broken {len(report['invariants'])}" if report["invariants"] else "hold"),
    ]
    if profile := report.get("profile"):
        lines.append(
            f"PyTorch's profiler: {profile['steps']} step times, which differ from these by "
            f"{profile['median_difference_ms']:.3f} ms (median), "
            f"{profile['largest_difference_ms']:.3f} ms at most"
        )
    if "fork" in report:
        lines += fork_lines(report["fork"])
    lines += as_lines(result)
    lines += [f"  idle {ms:10.3f} ms  {cause}" for cause, ms in report["gaps"].items()]
    for hazard in report["hazards"]:
        lines.append(
            f"hazard {hazard['kind']} on {hazard['resource']} at step {hazard['step']}: "
            f"{hazard['first']} / {hazard['second']}; missing {hazard['missing_edge']}; "
            f"fix: {hazard['fix']}"
        )
    lines += [f"broken invariant: {sentence}" for sentence in report["invariants"]]
    lines += [f"error: {sentence}" for sentence in report["errors"]]
    if out is not None:
        lines.append(f"{confirmed(out)}: open it on the Inspect page or in Perfetto")
    return "\n".join(lines)


def _modes(options: argparse.Namespace) -> int:
    modes = modes_report()
    if options.json:
        print(json.dumps(modes))
    else:
        print("T wrong tokens, H hazards, G a gap, I a broken invariant, M a peak, E an error")
        print(f"{'mode':24} {'shows':8} what happens")
        for mode in modes:
            print(f"{mode['name']:24} {' '.join(mode['expect']):8} {mode['summary']}")
    return 0


def _mechanisms(options: argparse.Namespace) -> int:
    mechanisms = mechanisms_report()
    if options.markdown:
        print(mechanisms_page(), end="")
    elif options.json:
        print(json.dumps(mechanisms))
    else:
        for info in mechanisms:
            print(f"{info['group']:12} {info['name']:22} {', '.join(info['values'])}")
    return 0


def _workloads(options: argparse.Namespace) -> int:
    workloads = workloads_report()
    if options.json:
        print(json.dumps(workloads))
    else:
        for workload in workloads:
            print(f"{workload['name']:16} {workload['about']}")
    return 0
