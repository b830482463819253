"""Command line of this package.

    python -m traces inspect FILE... [--json] [--min-active SHARE] [--max-mib N]
    python -m traces inspect FOLDER [--json] [--min-active SHARE] [--jobs N] [--scheduler ADDRESS]
    python -m traces whatif FILE... [--json] [--max-mib N]
    python -m traces compare A B [--json] [--max-mib N]
    python -m traces convert IN OUT [--max-mib N]

Several files are those of one run, such as its ranks; they are shown on one clock. A folder is
something else: each file in it is a recording of its own, and gets a line.

Exit code 0: done; 1: a device is less active than `inspect --min-active` asks; 2: bad input, with
one line on stderr, or one for each file of a folder that cannot be read. Files of a folder that are
no traces by content and ending, such as source code, are counted in one line and are no bad input,
unless there is nothing else.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from traces import comparison, folder, summary, whatif
from traces.arguments import OneLineParser, count, one_line, run
from traces.cluster import add_cluster_options
from traces.conversion import OUT_HELP, check_target, convert
from traces.output import confirmed
from traces.progress_bar import reading_bar
from traces.readers.reader import named, open_trace, read_traces
from traces.readers.source import MAX_BYTES
from traces.schema import Trace, TraceError
from traces.units import percent

RANKS = "a trace; several are the ranks of one run"
FILES_HELP = {
    "whatif": RANKS,
    "inspect": f"{RANKS}, and a folder holds recordings of their own, one line for each",
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit code."""
    options = _parser().parse_args(arguments)
    try:
        return int(options.command(options))
    except TraceError as error:
        print(one_line(error), file=sys.stderr)
        return 2


def _parser() -> argparse.ArgumentParser:
    parser = OneLineParser(prog="python -m traces", description="Look into trace files.")
    commands = parser.add_subparsers(required=True, metavar="inspect | whatif | compare | convert")
    made = {}
    for name, command, text in (
        ("inspect", _inspect, "busy and idle time of trace files"),
        ("whatif", _whatif, "what asynchronous batching would give"),
        ("compare", _compare, "two traces, step for step"),
        ("convert", _convert, "write a trace as Chrome JSON, or its spans as Parquet"),
    ):
        made[name] = sub = commands.add_parser(name, help=text)
        sub.set_defaults(command=command)
        sub.add_argument(
            "--max-mib",
            type=count,
            default=MAX_BYTES >> 20,
            metavar="N",
            help="refuse files that unpack to more (default %(default)s)",
        )
        if command is not _convert:
            sub.add_argument("--json", action="store_true", help="machine-readable output")
    for name in ("inspect", "whatif"):
        made[name].add_argument("files", nargs="+", metavar="FILE", help=FILES_HELP[name])
    for name, first, second in (("compare", "A", "B"), ("convert", "IN", "OUT")):
        made[name].add_argument("files", nargs=1, metavar=first, help="a trace")
        made[name].add_argument(
            "other", metavar=second, help="a trace" if second == "B" else OUT_HELP
        )
    add_cluster_options(made["inspect"])
    made["inspect"].add_argument(
        "--min-active",
        type=_share,
        metavar="SHARE",
        help="exit with 1 if a GPU is active for less (0.95: 95 %% of its time)",
    )
    return parser


def _share(text: str) -> float:
    try:
        share = float(text)
    except ValueError:
        share = -1.0
    if not 0 <= share <= 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a share between 0 and 1")
    return share


def _inspect(options: argparse.Namespace) -> int:
    folders = [file for file in options.files if file and Path(file).is_dir()]  # not ""
    if folders and len(options.files) == 1:
        return _inspect_folder(options)
    if folders:
        raise TraceError(
            f"{folders[0]} is a folder, whose files are recordings of their own: name it alone, or "
            "the files of one run."
        )
    figures = summary.summarize(_read(options))
    print(json.dumps(figures, indent=2) if options.json else summary.as_text(figures))
    return 0 if options.min_active is None else _too_idle(figures["devices"], options.min_active)


def _inspect_folder(options: argparse.Namespace) -> int:
    """2 where a file that was taken for a trace cannot be read, or none was, else 1 where one is
    too idle, else 0."""
    (name,) = options.files
    found = folder.inspect_folder(name, options.max_mib << 20, options.scheduler, options.jobs)
    print(json.dumps(folder.as_json(found), indent=2) if options.json else folder.as_text(found))
    code = 2 if all(one.is_other for one in found) else 0
    if others := folder.others_told(found):
        print(others, file=sys.stderr)
    for one in found:
        if one.is_other:
            continue
        if one.figures is None:
            print(f"{one_line(one.file)}: {one_line(one.refusal)}", file=sys.stderr)
            code = 2
        elif options.min_active is not None:
            code = max(code, _too_idle(one.devices, options.min_active, f"{one_line(one.file)}: "))
    return code


def _too_idle(devices: list[dict[str, Any]], least: float, where: str = "") -> int:
    """1 and a line on stderr for each device below `least`, or if there is no device; else 0."""
    too_idle = [device for device in devices if device["observed"]["active"] < least]
    for device in too_idle:
        active = percent(device["observed"]["active"])
        told = f"{where}GPU {device['id']} is active {active} of the time"
        print(f"{told}, less than {percent(least)}", file=sys.stderr)
    if not devices:
        print(f"{where}no GPU work is recorded, so no GPU is active", file=sys.stderr)
    return int(bool(too_idle) or not devices)


def _whatif(options: argparse.Namespace) -> int:
    prediction = whatif.as_json(whatif.what_if(_read(options)))
    if options.json:
        print(json.dumps({"what_if": prediction}, indent=2))
    else:
        print(whatif.as_text(prediction))
    return 0


def _compare(options: argparse.Namespace) -> int:
    traces = []
    for file in (*options.files, options.other):
        name = Path(file).name
        with reading_bar() as tell, named(name):
            traces.append(open_trace(file, name, options.max_mib << 20, tell))
    compared = comparison.as_json(comparison.compare(*traces))
    print(json.dumps(compared, indent=2) if options.json else comparison.as_text(compared))
    return 0


def _convert(options: argparse.Namespace) -> int:
    check_target(options.other)
    trace = _read(options)
    convert(trace, options.other)
    print(f"{confirmed(options.other)}: {len(trace.spans):,} spans")
    return 0


def _read(options: argparse.Namespace) -> Trace:
    names = [Path(file).name for file in options.files]
    with reading_bar() as tell:
        return read_traces(options.files, names, options.max_mib << 20, tell)


if __name__ == "__main__":
    run(main)
