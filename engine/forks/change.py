"""The change that a fork makes to a run, while that run goes on.

What this module does not say: what may change, and what that means (`engine.forks.fork`).
"""

from typing import Any

from engine.device.virtual import VirtualDevice
from engine.forks.fork import Fork
from engine.loop import Loop
from engine.mechanisms.table import Mechanisms


def plan(fork: Fork, loop: Loop) -> None:
    """Let the change happen as soon as the host's clock is at its instant, between two calls.

    Raises TypeError where the clock is not modelled (`engine.configure` does not let it come to
    that), DurationError where a duration cannot be set.
    """
    device = loop.device
    if not isinstance(device, VirtualDevice):
        raise TypeError("only a run on the virtual device can be forked at an instant")
    cost, mechanisms = fork.cost(device.cost), fork.mechanisms(loop.mechanisms)

    def change() -> None:
        device.change_cost(cost)
        change_mechanisms(loop, mechanisms)

    device.call_at(fork.at_ns, change)


def change_mechanisms(loop: Loop, mechanisms: Mechanisms) -> None:
    """Give every part that asks for the mechanisms the new ones."""
    parts, life = loop.parts, loop.scheduler.life
    asking: list[Any] = [loop, parts, loop.scheduler, life, life.blocks, parts.steering]
    asking += [part for part in (parts.graphs, parts.speculation) if part is not None]
    for part in asking:
        part.mechanisms = mechanisms
