"""What both command lines share: complaints of one line, and a quiet end whoever ends them."""

import argparse
import io
import re
import signal
import sys
import unicodedata
from collections.abc import Callable
from typing import NoReturn

INTERRUPTED = 130
"""The exit code that shells give to what Ctrl-C ended."""


LONGEST_WORD, LONGEST_LINE = 200, 2000
"""Letters of a complaint: of one word, such as a value that is told back, and of all of it."""


def one_line(complaint: object) -> str:
    """A complaint in one line; of what is very long its beginning and its end. What would steer
    the terminal, such as an escape, is shown as it is written in Python."""
    words = (_cut(word, LONGEST_WORD) for word in str(complaint).split())
    return _cut("".join(map(_shown, " ".join(words))), LONGEST_LINE)


def _shown(letter: str) -> str:
    is_control = unicodedata.category(letter) in ("Cc", "Cf")
    return letter.encode("unicode_escape").decode() if is_control else letter


def _cut(text: str, longest: int) -> str:
    return text if len(text) <= longest else f"{text[: longest // 2]}…{text[-longest // 2 + 1 :]}"


class OneLineParser(argparse.ArgumentParser):
    """An argument parser that says what is wrong in one line and exits with 2."""

    def error(self, message: str) -> NoReturn:
        """Print the complaint on stderr and leave."""
        self.exit(2, f"{self.prog}: {one_line(message)} (see {self.prog} --help)\n")


def count(text: str) -> int:
    """A whole number from 1 up, as the type of an argument. Raises ArgumentTypeError."""
    if re.fullmatch("[0-9]{1,9}", text) is None or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 1 up")
    return int(text)


def run(main: Callable[[], int]) -> NoReturn:
    """Run a command line and leave with its exit code, or with 130 and one line after Ctrl-C.

    `... | head` ends it as it ends other programs, and a name that the terminal cannot show,
    such as a file's in another encoding, is written with escapes.
    """
    if hasattr(signal, "SIGPIPE"):  # not on Windows
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        print("stopped", file=sys.stderr)
        sys.exit(INTERRUPTED)
