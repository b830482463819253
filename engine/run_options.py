"""The options that say what is run, for `engine run` and `engine sweep` alike."""

import argparse
from typing import Any

from engine.devices import DEVICES
from engine.mechanisms.table import MechanismError
from engine.model.sizes import MODELS
from traces.arguments import count


def add_run_options(parser: argparse.ArgumentParser) -> None:
    """Give a parser every option that `configuration` reads."""
    parser.add_argument("--mode", default="async", help="a mode of `modes` (default: async)")
    parser.add_argument(
        "--set", action="append", default=[], nargs="+", metavar="TOGGLE=VALUE",
        help="change toggles; see `mechanisms`",
    )  # fmt: skip
    parser.add_argument(
        "--device", default="virtual", choices=list(DEVICES), help="what runs the kernels"
    )
    parser.add_argument(
        "--pace", action="store_true", help="stretch measured work to the cost model's times"
    )
    parser.add_argument(
        "--widen", type=count, default=0, metavar="MS",
        help="hold back what races, so that every race shows (milliseconds)",
    )  # fmt: skip
    parser.add_argument(
        "--model", default="trained", choices=MODELS,
        help="the trained model, or random weights of a size",
    )  # fmt: skip
    parser.add_argument(
        "--cost", help="a cost preset, the times of a step in ms (C8.2-G27-F4.8), or a JSON file"
    )
    parser.add_argument("--workload", help="a workload preset or a JSON file")
    parser.add_argument("--batch", type=count, help="request rows a step")
    parser.add_argument("--steps", type=count, help="stop after so many steps")
    parser.add_argument("--requests", type=count, help="how many requests to serve")
    parser.add_argument("--seed", type=int, help="chooses prompts, lengths and jitter")
    parser.add_argument(
        "--jitter", type=percent, default=0.0, metavar="PCT",
        help="vary every duration by up to so many percent",
    )  # fmt: skip
    parser.add_argument("--no-compute", action="store_true", help="run the timing alone")


def configuration(options: argparse.Namespace) -> dict[str, Any]:
    """What the options say, as arguments of `configure`. Raises MechanismError."""
    return {
        "mode": options.mode, "set": settings(options.set), "cost": options.cost,
        "workload": options.workload, "batch": options.batch, "steps": options.steps,
        "requests": options.requests, "seed": options.seed, "jitter": options.jitter,
        "compute": not options.no_compute, "device": options.device, "pace": options.pace,
        "widen_ms": options.widen, "model": options.model,
    }  # fmt: skip


def settings(pairs: list[list[str]], option: str = "--set") -> dict[str, str]:
    """NAME=VALUE arguments as a dict. Raises MechanismError where one is none."""
    found = {}
    for pair in (item for group in pairs for item in group):
        name, equals, value = pair.partition("=")
        if not equals:
            raise MechanismError(f"{option} takes NAME=VALUE, not {pair!r}")
        found[name] = value
    return found


def percent(text: str) -> float:
    """A percentage, as the type of an argument. Raises ArgumentTypeError."""
    return _between(text, 100, "a percentage from 0 to 100")


def instant(text: str) -> float:
    """An instant in ms, as the type of an argument. Raises ArgumentTypeError."""
    return _between(text, 1e300, "an instant in ms")


def _between(text: str, most: float, what: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= most:
        raise argparse.ArgumentTypeError(f"{text!r} is not {what}")
    return value
