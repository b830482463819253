"""Lets `python -m engine` run the command line."""

import sys

from engine.cli import main
from traces.arguments import end_quietly_with_the_pipe

if __name__ == "__main__":
    end_quietly_with_the_pipe()
    sys.exit(main())
