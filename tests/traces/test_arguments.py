"""Both command lines complain in one line and end quietly with a pipe."""

import subprocess
import sys

import pytest

from traces.arguments import OneLineParser


def test_a_complaint_is_one_line_and_exit_code_2(capsys):
    parser = OneLineParser(prog="tool")
    parser.add_argument("--count", type=int)
    with pytest.raises(SystemExit) as stop:
        parser.parse_args(["--count", "x\ny"])
    assert stop.value.code == 2
    assert len(capsys.readouterr().err.splitlines()) == 1


@pytest.mark.skipif(sys.platform == "win32", reason="Windows knows no SIGPIPE")
def test_a_closed_pipe_ends_the_program_without_a_complaint():
    code = (
        "from traces.arguments import end_quietly_with_the_pipe as quiet\n"
        "quiet()\n"
        "for _ in range(100_000): print('line')"
    )
    program = subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    program.stdout.readline()
    program.stdout.close()
    assert program.stderr.read() == b""
    program.stderr.close()
    program.wait(timeout=30)
