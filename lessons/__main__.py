"""`python -m lessons`."""

from lessons.cli import main
from traces.arguments import run

if __name__ == "__main__":
    run(main)
