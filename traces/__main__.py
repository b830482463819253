"""Command line: `python -m traces inspect FILE... [--json] [--max-mib N]`.

Several files are those of one run, such as its ranks; they are shown on one clock.

Exit code 0: done; 2: bad input, with one line on stderr.
"""

import json
import sys
from collections.abc import Sequence
from pathlib import Path

from traces.arguments import OneLineParser, end_quietly_with_the_pipe
from traces.readers.reader import read_traces
from traces.readers.source import MAX_BYTES
from traces.schema import TraceError
from traces.summary import as_text, summarize


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit code."""
    parser = OneLineParser(prog="python -m traces", description="Look into trace files.")
    commands = parser.add_subparsers(dest="command", required=True)
    inspect = commands.add_parser("inspect", help="busy and idle time of trace files")
    inspect.add_argument(
        "files", nargs="+", metavar="FILE", help="a trace; several are the ranks of one run"
    )
    inspect.add_argument(
        "--max-mib",
        type=int,
        default=MAX_BYTES >> 20,
        metavar="N",
        help="refuse files that unpack to more (default %(default)s)",
    )
    inspect.add_argument("--json", action="store_true", help="machine-readable output")
    options = parser.parse_args(arguments)
    names = [Path(file).name for file in options.files]
    try:
        summary = summarize(read_traces(options.files, names, options.max_mib << 20))
    except TraceError as error:
        print(" ".join(str(error).split()), file=sys.stderr)
        return 2
    print(json.dumps(summary, indent=2) if options.json else as_text(summary))
    return 0


if __name__ == "__main__":
    end_quietly_with_the_pipe()
    sys.exit(main())
