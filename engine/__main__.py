"""Lets `python -m engine` run the command line."""

from engine.cli import main
from traces.arguments import run

if __name__ == "__main__":
    run(main)
