"""Command line: `python -m traces inspect | whatif FILE... [--json] [--max-mib N]`.

Several files are those of one run, such as its ranks; they are shown on one clock.

Exit code 0: done; 2: bad input, with one line on stderr.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from traces import summary, whatif
from traces.arguments import OneLineParser, end_quietly_with_the_pipe
from traces.readers.reader import read_traces
from traces.readers.source import MAX_BYTES
from traces.schema import Trace, TraceError


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit code."""
    options = _parser().parse_args(arguments)
    try:
        return int(options.command(options))
    except TraceError as error:
        print(" ".join(str(error).split()), file=sys.stderr)
        return 2


def _parser() -> argparse.ArgumentParser:
    parser = OneLineParser(prog="python -m traces", description="Look into trace files.")
    commands = parser.add_subparsers(required=True, metavar="inspect | whatif")
    for name, command, text in (
        ("inspect", _inspect, "busy and idle time of trace files"),
        ("whatif", _whatif, "what asynchronous batching would give"),
    ):
        sub = commands.add_parser(name, help=text)
        sub.set_defaults(command=command)
        sub.add_argument(
            "files", nargs="+", metavar="FILE", help="a trace; several are the ranks of one run"
        )
        sub.add_argument(
            "--max-mib",
            type=int,
            default=MAX_BYTES >> 20,
            metavar="N",
            help="refuse files that unpack to more (default %(default)s)",
        )
        sub.add_argument("--json", action="store_true", help="machine-readable output")
    return parser


def _inspect(options: argparse.Namespace) -> int:
    figures = summary.summarize(_read(options))
    print(json.dumps(figures, indent=2) if options.json else summary.as_text(figures))
    return 0


def _whatif(options: argparse.Namespace) -> int:
    prediction = whatif.as_json(whatif.what_if(_read(options)))
    if options.json:
        print(json.dumps({"what_if": prediction}, indent=2))
    else:
        print(whatif.as_text(prediction))
    return 0


def _read(options: argparse.Namespace) -> Trace:
    names = [Path(file).name for file in options.files]
    return read_traces(options.files, names, options.max_mib << 20)


if __name__ == "__main__":
    end_quietly_with_the_pipe()
    sys.exit(main())
