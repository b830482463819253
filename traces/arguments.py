"""What both command lines share: complaints of one line, and a quiet end of a pipe."""

import argparse
import signal
from typing import NoReturn


class OneLineParser(argparse.ArgumentParser):
    """An argument parser that says what is wrong in one line and exits with 2."""

    def error(self, message: str) -> NoReturn:
        """Print the complaint on stderr and leave."""
        one_line = " ".join(message.split())
        self.exit(2, f"{self.prog}: {one_line} (see {self.prog} --help)\n")


def end_quietly_with_the_pipe() -> None:
    """Let `... | head` end the program as it ends other programs, without a complaint."""
    if hasattr(signal, "SIGPIPE"):  # not on Windows
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
