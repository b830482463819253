"""A small real engine: continuous batching on a paged KV cache, synchronous or asynchronous.

Three lines for a notebook:

    from engine import run
    result = run("async", set={"wait_h2d": "off"})
    result.trace, result.hazards, result.texts

Everything a page or the command line needs is exported here.
"""

from engine.configuration import configure
from engine.execution import Run, baseline, execute, run

__all__ = ["Run", "baseline", "configure", "execute", "run"]
