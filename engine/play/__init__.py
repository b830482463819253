"""Play the host: a learner issues the operations of a few steps by hand, one key each.

A position is a level and the operations so far, nothing else. `position` carries them out from
the beginning on the virtual device and asks the hazard checker, so that going back is leaving
one out, and what goes wrong is computed. `operations` lists what a host can do, `level` reads
the levels (`levels/*.toml`), `memory` is what the device holds and computes, `host` does what
it is told, `answers` says what came of it, `verdict` whether the level is solved.
"""

from engine.play.level import LEVELS, Level
from engine.play.operations import OPERATIONS, Operation
from engine.play.position import Position, play

__all__ = ["LEVELS", "OPERATIONS", "Level", "Operation", "Position", "play"]
