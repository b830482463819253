"""What a process that runs a student's code may take: time, memory, files, network.

Limits that a system does not have (Windows has none of them, macOS no memory limit that holds)
are left out; the time limit of the parent process holds everywhere.
"""

import shutil
import subprocess
import sys
from dataclasses import dataclass
from functools import cache

MEGABYTE = 1 << 20
MOST_WRITTEN_MB = 64


@dataclass(frozen=True)
class Limits:
    """Seconds and megabytes. Memory counts address space, of which the libraries alone take
    some 2000 MB; `seconds` is time on the clock from when the student's file is begun."""

    seconds: float = 60.0
    megabytes: int = 6000


def apply(limits: Limits) -> None:
    """Bind this process to its limits; for the child."""
    try:
        import resource
    except ImportError:  # Windows
        return
    seconds = max(1, round(limits.seconds)) + 1
    wanted = {
        resource.RLIMIT_CPU: seconds * 4,  # of all threads together
        resource.RLIMIT_AS: limits.megabytes * MEGABYTE,
        resource.RLIMIT_FSIZE: MOST_WRITTEN_MB * MEGABYTE,
        resource.RLIMIT_CORE: 0,
    }
    for kind, most in wanted.items():
        try:
            hard = resource.getrlimit(kind)[1]
            most = most if hard == resource.RLIM_INFINITY else min(most, hard)
            resource.setrlimit(kind, (most, most))
        except (ValueError, OSError):  # a system that does not have this one
            continue


@cache
def offline_prefix() -> tuple[str, ...]:
    """What to put before a command so that it has no network; nothing where the system does not
    allow that to an ordinary user."""
    unshare = shutil.which("unshare")
    if unshare is None or not sys.platform.startswith("linux"):
        return ()
    prefix = (unshare, "--user", "--map-current-user", "--net")
    tried = subprocess.run([*prefix, "true"], capture_output=True, timeout=60, check=False)
    return prefix if tried.returncode == 0 else ()
