"""`python -m engine sweep`: runs a grid and keeps its table.

A combination that the table has is not run again. Neither Ctrl-C nor a killed process loses a
row that was there; a run whose workers died is left out, and run when the command is given again.
"""

import argparse
import json
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

from tqdm import tqdm

from engine.run_options import add_run_options, configuration
from engine.sweep.grid import axes_of, combinations
from engine.sweep.row import ERROR, Point, point_of, row_of
from engine.sweep.table import Table
from traces.arguments import one_line
from traces.cluster import add_cluster_options, done
from traces.output import confirmed, writing


def add_sweep(commands: "argparse._SubParsersAction[Any]") -> None:
    """Add the command to the parser's."""
    sweep = commands.add_parser(
        "sweep", help="run every combination of values, into a table of one row a run"
    )
    sweep.set_defaults(command=run_sweep)
    sweep.add_argument(
        "--grid", action="append", default=[], metavar="NAME=VALUE,VALUE",
        help="an axis: a toggle, or mode, cost, workload, batch, steps, requests, seed, jitter; "
        "numbers also as a range FIRST:END",
    )  # fmt: skip
    sweep.add_argument(
        "--seeds", metavar="FIRST:END", help="the same as --grid seed=FIRST:END (END left out)"
    )
    add_run_options(sweep)
    add_cluster_options(sweep)
    sweep.add_argument(
        "-o", "--out", type=Path, required=True, metavar="FILE.parquet",
        help="the table; runs that it has are not run again",
    )  # fmt: skip
    sweep.add_argument("--json", action="store_true", help="print one JSON object")


def run_sweep(options: argparse.Namespace) -> int:
    """Run what the table lacks. Raises what `engine.cli.TOLD` lists for bad input."""
    seeds = [f"seed={options.seeds}"] if options.seeds else []
    axes = axes_of(options.grid + seeds)
    points = {
        point.key: point for point in map(point_of, combinations(axes, configuration(options)))
    }
    with writing(options.out), closing(Table(options.out)) as table:
        _warn(table)
        known = table.known
        left = [point for key, point in points.items() if key not in known]
        failed, lost = _run(left, table, options)
    told = {"asked": len(points), "run": len(left) - len(lost), "errors": failed}
    print(json.dumps(told | {"lost": lost, "rows": len(table)}) if options.json else
          _text(told, len(table), options.out))  # fmt: skip
    for reason in dict.fromkeys(lost):
        print(f"engine: {lost.count(reason)} runs were lost ({one_line(reason)}): give the same "
              "command again", file=sys.stderr)  # fmt: skip
    return 2 if lost else 0


def _warn(table: Table) -> None:
    if table.damaged:
        lines = "1 line" if table.damaged == 1 else f"{table.damaged:,} lines"
        print(f"engine: {lines} of {table.journal} cut off or damaged: left out, such runs are "
              "run again", file=sys.stderr)  # fmt: skip


def _run(points: list[Point], table: Table, options: argparse.Namespace) -> tuple[int, list[str]]:
    """How many rows hold an error, and why each of those that are missing is."""
    failed, lost = 0, []
    results = done(row_of, points, options.scheduler, options.jobs)
    for result in tqdm(results, total=len(points), unit="run", disable=None):
        if result.result is None:
            lost.append(result.lost)
            continue
        failed += result.result[ERROR] is not None
        table.add(result.result)
    return failed, lost


def _text(told: dict[str, int], rows: int, out: Path) -> str:
    lines = [
        f"{told['asked']:,} configurations, {told['run']:,} of them run now, the others known",
        f"{confirmed(out)}: {rows:,} rows; open it on the Sweep page, or with pandas",
    ]
    if told["errors"]:
        lines.insert(1, f"{told['errors']:,} cannot be run: see the column error")
    return "\n".join(lines)
