"""Both command lines complain in one line and end quietly with a pipe."""

import argparse
import os
import subprocess
import sys

import pytest

from engine.cli import main as engine_main
from traces.__main__ import main as traces_main
from traces.arguments import LONGEST_LINE, OneLineParser, count, one_line, run


def test_a_complaint_is_one_line_and_exit_code_2(capsys):
    parser = OneLineParser(prog="tool")
    parser.add_argument("--count", type=int)
    with pytest.raises(SystemExit) as stop:
        parser.parse_args(["--count", "x\ny"])
    assert stop.value.code == 2
    assert len(capsys.readouterr().err.splitlines()) == 1


@pytest.mark.parametrize("value", ["x" * 5000, "x y " * 5000, "x\n" * 5000])
def test_of_a_long_complaint_the_beginning_and_the_end_are_told(value):
    told = one_line(f"no mode {value!r}: `modes` lists them")
    assert len(told) <= LONGEST_LINE and len(told.splitlines()) == 1
    assert told.startswith("no mode 'x") and told.endswith(" lists them") and "…" in told


def test_a_long_value_of_any_option_is_cut(capsys):
    options = ["--mode", "--device", "--model", "--workload", "--cost", "--steps", "--seed"]
    for option in options:
        try:
            code = engine_main(["run", option, "9x" * 3000])
        except SystemExit as stop:
            code = stop.code
        told = capsys.readouterr().err
        assert code == 2 and len(told) < LONGEST_LINE + 99 and len(told.splitlines()) == 1


@pytest.mark.skipif(sys.platform == "win32", reason="Windows knows no SIGPIPE")
def test_a_closed_pipe_ends_the_program_without_a_complaint():
    code = (
        "from traces.arguments import run\n"
        "run(lambda: [print('line') for _ in range(100_000)] and 0)"
    )
    program = subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    program.stdout.readline()
    program.stdout.close()
    assert program.stderr.read() == b""
    program.stderr.close()
    program.wait(timeout=30)


def test_ctrl_c_ends_a_program_with_one_line_and_exit_code_130(capsys):
    def main():
        raise KeyboardInterrupt

    with pytest.raises(SystemExit) as stop:
        run(main)
    assert stop.value.code == 130
    assert capsys.readouterr().err == "stopped\n"


@pytest.mark.parametrize("program", ["traces", "engine"])
def test_both_command_lines_end_so(program):
    """Run as `python -m` runs it, with a main that is interrupted."""
    module = {"traces": "argparse.ArgumentParser.parse_args", "engine": "engine.cli._parser"}
    code = (
        "import runpy, sys, unittest.mock, argparse\n"
        f"sys.argv = [{program!r}, 'modes']\n"
        f"with unittest.mock.patch({module[program]!r}, side_effect=KeyboardInterrupt):\n"
        f"    runpy.run_module({program!r}, run_name='__main__')\n"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    assert (result.returncode, result.stderr) == (130, b"stopped\n")


def test_a_name_that_the_terminal_cannot_show_is_written_with_escapes():
    code = (
        "from traces.arguments import run\n"
        r"run(lambda: print('a\udcff.json') or 0)"
    )
    result = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        check=False,
        env=os.environ | {"PYTHONIOENCODING": "utf-8:strict"},
    )
    assert (result.returncode, result.stdout.split()) == (0, [rb"a\udcff.json"])


@pytest.mark.parametrize("text", ["-5", "0", "", "1_000", "²", "１０", "1.5", "9" * 5000])
def test_a_count_is_a_whole_number_from_1_up(text):
    with pytest.raises(argparse.ArgumentTypeError, match="whole number from 1 up"):
        count(text)


def test_a_count_is_read():
    assert (count("1"), count("2048")) == (1, 2048)


def test_a_negative_cap_is_refused(capsys):
    with pytest.raises(SystemExit) as stop:
        traces_main(["inspect", "x.json", "--max-mib", "-5"])
    assert stop.value.code == 2
    assert "'-5' is not a whole number" in capsys.readouterr().err
