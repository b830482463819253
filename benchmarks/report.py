"""What the reports of the benchmarks share: the machine in words, and tables in Markdown."""

import os
import platform
from collections.abc import Iterable, Sequence
from pathlib import Path

import torch


def machine() -> str:
    """The processor, or the GPU as well, and PyTorch's version, in one sentence."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    gpu = torch.cuda.get_device_name() if torch.cuda.is_available() else "no GPU"
    return f"{cores} cores of {_processor()}, {gpu}, PyTorch {torch.__version__.split('+')[0]}."


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8").splitlines()
    except OSError:  # only Linux has it
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def load() -> str:
    """How many processes wanted a core in the last minute."""
    return f"{os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else "unknown"


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A Markdown table; a cell's own bars are escaped."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(_cell(cell) for cell in line)} |" for line in lines) + "\n"


def _cell(cell: object) -> str:
    return " ".join(str(cell).split()).replace("|", "\\|")
