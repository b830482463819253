"""A fork beside its parent, as plain values and as lines for a terminal."""

from dataclasses import asdict
from typing import Any

from engine.config import RunConfig
from engine.device.cost import MS
from engine.forks.divergence import Divergence, divergence
from engine.oplog import NONE
from engine.recording.recording import record


def fork_report(config: RunConfig) -> dict[str, Any]:
    """What a fork changes and where it first differs from its parent; both are run for it.

    Times in ms; a kind of difference that there is none of is None. Raises ValueError where the
    configuration is no fork.
    """
    if config.fork is None:
        raise ValueError("only a fork has a parent to differ from")
    parent, forked = record(config.parent), record(config)
    found = divergence(parent, forked)
    return {
        "at_ms": config.fork.at_ns / MS,
        "changes": {**config.fork.toggles, **config.fork.durations},
        "first_difference_ms": None if found.at_ns == NONE else found.at_ns / MS,
        "parent_wall_ms": parent.run.wall_ns / MS,
        **_differences(found, forked.run.device.log.buffers),
    }


def _differences(found: Divergence, buffers: list[Any]) -> dict[str, Any]:
    kinds: dict[str, Any] = {
        name: None if one is None else _plain(one)
        for name, one in (
            ("spans", found.spans), ("memory", found.writes), ("tokens", found.tokens),
        )
    }  # fmt: skip
    if found.writes is not None and found.writes.buffer < len(buffers):
        info = buffers[found.writes.buffer]
        kinds["memory"] |= {"buffer": f"{info.resource} {info.label}", "slot": info.slot}
    return kinds


def _plain(one: Any) -> dict[str, Any]:  # noqa: ANN401 - a difference of any kind
    values = asdict(one)
    at_ms = values.pop("at_ns") / MS
    return {"at_ms": at_ms} | {
        name: value.tolist() if hasattr(value, "tolist") else value
        for name, value in values.items()
    }


def fork_lines(report: dict[str, Any]) -> list[str]:
    """The report as text."""
    changes = ", ".join(f"{name} = {value}" for name, value in report["changes"].items())
    lines = [f"forked at {report['at_ms']:.6f} ms: {changes or 'nothing changed'}"]
    if report["first_difference_ms"] is None:
        return [*lines, "the fork is its parent, from beginning to end"]
    if spans := report["spans"]:
        lines.append(
            f"first other span at {spans['at_ms']:.6f} ms: {spans['name']} of batch "
            f"{spans['step']} on {spans['track']}"
        )
    if memory := report["memory"]:
        lines.append(
            f"first other content at {memory['at_ms']:.6f} ms: row {memory['row']} of "
            f"{memory['buffer']}, written by {memory['name']} of batch {memory['step']}"
        )
    if tokens := report["tokens"]:
        lines.append(
            f"first other token at {tokens['at_ms']:.6f} ms: output token {tokens['position']} of "
            f"{tokens['request']} is {tokens['after']} and not {tokens['before']}"
        )
    else:
        lines.append("the same tokens")
    return lines
