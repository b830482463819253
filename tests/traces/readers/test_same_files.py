"""A recording that is named twice counts twice, and that is told in one sentence."""

import gzip

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.traces.readers.test_merge import rank
from tests.traces.readers.test_rocprof_csv_reader import KERNELS, START
from traces import read_traces
from traces.__main__ import main


def notes(files, names=()):
    warnings = read_traces(files, names).meta["warnings"]
    return [warning for warning in warnings if "hold the same events" in warning]


def test_the_command_line_says_so(tmp_path, capsys):
    path = tmp_path / "r0.json"
    path.write_bytes(rank(0))
    assert main(["inspect", str(path), str(path)]) == 0
    (note,) = [line for line in capsys.readouterr().out.splitlines() if line.startswith("note")]
    assert note.removeprefix("note").strip() == (
        "rank 0 (1) and rank 0 (2) hold the same events, so their work counts more than once; name "
        "each recording once."
    )


@pytest.mark.parametrize("other", [rank(0), gzip.compress(rank(0))], ids=["copied", "packed"])
def test_a_copy_is_the_same_whatever_it_is_called(other):
    assert len(notes([rank(0), other], ["a.json", "b.json"])) == 1


def test_tables_of_one_run_are_looked_at_too():
    table = f'{KERNELS}"KERNEL_DISPATCH",1,2,69,1,16,"k",14,{START},{START + 60}\n'.encode()
    (note,) = notes([table, table], ["a.csv", "a.csv"])
    assert note.startswith("a.csv (1) and a.csv (2) hold")


@given(st.lists(st.tuples(st.integers(0, 1), st.integers(0, 1)), min_size=2, max_size=5))
def test_every_recording_that_is_there_more_than_once_is_named_once(named):
    """Ranks and clocks differ in fewer files than are named."""
    files = [rank(number, start=float(late)) for number, late in named]
    repeated = {one for one in named if named.count(one) > 1}
    found = notes(files)
    assert len(found) == len(repeated)
    told = sum(note.split(" hold ")[0].count("rank") for note in found)
    assert told == sum(named.count(one) for one in repeated)


def test_files_without_gpu_work_count_no_gpu_twice():
    plain = b'[{"ph":"X","name":"a","ts":1}]'
    assert notes([plain, plain]) == []
