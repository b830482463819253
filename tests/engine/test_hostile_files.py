"""Small text files from anybody: hostile ones are one sentence, and those of Windows are read."""

import json

import pytest

from engine.cli import main
from engine.device.cost import CostError
from engine.device.cost_file import dump_cost, load_cost
from engine.device.costs import COSTS
from engine.workloads.file import dump_workload, load_workload
from engine.workloads.presets import WORKLOADS
from engine.workloads.workload import WorkloadError

HOSTILE = {
    "deep": b"[" * 100_000, "deep object": b'{"a":' * 100_000, "number": b"9" * 10_000,
    "nan": b'{"batch": NaN, "h2d_ns": NaN}', "endless": b'{"batch": 1e999, "h2d_ns": 1e999}',
    "surrogate": b'{"name": "\\ud800"}', "binary": bytes(range(256)), "empty": b"",
    "pickle": b"\x80\x04cos\nsystem\n.", "utf16": '{"batch": 4}'.encode("utf-16"),
    "own name": b'{"__class__": "x"}', "list": b"[1]", "null": b"null",
    "huge": b'{"batch": 64, "h2d_ns": 99999999999999999999999}',
}  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_file_is_refused_in_one_sentence(tmp_path, capsys, name):
    path = tmp_path / f"böse datei {name}.json"
    path.write_bytes(HOSTILE[name])
    if name != "huge":
        with pytest.raises(WorkloadError):
            load_workload(str(path))
    with pytest.raises(CostError):
        load_cost(str(path))
    assert main(["run", "--steps", "2", "--cost", str(path)]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1


def windows(text):
    return b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode()


def test_files_with_a_byte_order_mark_and_windows_line_ends_mean_the_same(tmp_path):
    path = tmp_path / "мой файл 文件.json"
    for name in ("published-8b", "worked-2-6"):
        path.write_bytes(windows(dump_cost(COSTS[name])))
        assert load_cost(str(path)) == COSTS[name]
    for workload in WORKLOADS.values():
        path.write_bytes(windows(dump_workload(workload)))
        assert json.loads(dump_workload(load_workload(str(path)))) == json.loads(
            dump_workload(workload)
        )
