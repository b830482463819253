"""What is no readable trace is refused in one sentence that says what it is and what to do."""

import pickle
import zipfile
from io import BytesIO

import pytest

from traces import TraceError, open_trace

REFUSED = [
    (b"", "empty"),
    (b" \n\t ", "empty"),
    (b"NVIDIA Tegra Profiler Report 2026@1\n\x0b\x00", "nsys export --type sqlite"),
    (b"SQLite format 3\x00" + bytes(99), "SQLite.*damaged"),
    (pickle.dumps({"segments": []}), "pickle"),
    (b"\x0a\x0b\x08\x01\x12\x07\x00\x01\x02", "protobuf"),
    (b"\x89HDF\r\n\x1a\n", "HDF5"),
    (b'"Kind","Agent_Id","Queue_Id"\n"KERNEL_DISPATCH",1,1\n', "CSV.*rocprofv3.*start_us"),
    (b"a,b,c", "CSV table"),
    (b'"""Readers, writers, and others."""\n\n__all__ = ["a", "b"]\n', "text file"),
    (b"from typing import Any, NamedTuple, cast\n\nX = 1\n", "text file"),
    (
        b"Dear diary, today, as so often, nothing happened that I could tell you of,\na,b,c,d,e\n",
        "text file",
    ),
    (b"dear diary\n", "text file"),
    (b"<html><body>404</body></html>", "text file"),
    (b"\x01\x02\x03\x04", "no format known"),
    (b'{"$schema": "https://www.speedscope.app/file-format-schema.json"}', "speedscope"),
    (b'{"schema": "1.1.1-chakra.0.0.4", "pid": 1, "nodes": [{"id": 1}]}', "execution graph"),
    (b'{"Type":80,"CudaEvent":{"startNs":"1"}}\n', "nsys export --type sqlite"),
    (b"PAR1\x15\x04", "Parquet.*traces convert.*Sweep page.*--type sqlite"),
    (b"[[1, 2], [[3, 4]]]", "memory timeline"),
    (b"{}", "no trace events"),
    (b"[]", "no trace events"),
    (b'{"traceEvents": []}', "no trace events"),
    (b'{"hello": "world"}', "no trace events"),
    (b'[{"ph": "M", "name": "process_name", "args": {"name": "x"}}]', "no trace events"),
    (b'[{"name": "Ada", "age": 36}]', "no trace events"),
    (b"{" * 5000, "no trace events"),
    (b"[" * 5000, "memory timeline"),
    (b"PK\x03\x04rubbish", "zip file is damaged"),
    (b"\x28\xb5\x2f\xfd\x00", "zstd"),
]


@pytest.mark.parametrize(("data", "says"), REFUSED)
def test_each_kind_of_file_gets_its_own_sentence(data, says):
    with pytest.raises(TraceError, match=says) as refusal:
        open_trace(data)
    sentence = str(refusal.value)
    assert sentence.endswith(".")
    assert "\n" not in sentence


def test_a_folder_and_a_missing_file_are_refused(tmp_path):
    with pytest.raises(TraceError, match="is a folder"):
        open_trace(tmp_path)
    with pytest.raises(TraceError, match="No such file.*check the path"):
        open_trace(tmp_path / "nothing.json")


def test_a_zip_without_files_and_an_encrypted_one_are_refused():
    buffer = BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("a", "x")
    locked = bytearray(buffer.getvalue())
    locked[6] |= 1
    locked[locked.index(b"PK\x01\x02") + 8] |= 1
    with pytest.raises(TraceError, match="damaged or encrypted"):
        open_trace(bytes(locked))


@pytest.mark.parametrize(
    ("method", "spoilt", "cause"),
    [
        (zipfile.ZIP_BZIP2, b"1AY&SY", "OSError"),
        (zipfile.ZIP_LZMA, b"\x09\x04\x05\x00\x5d", "LZMAError"),
        (zipfile.ZIP_STORED, b"PK\x05\x06", "ValueError"),
    ],
)
def test_a_damaged_zip_is_refused_whatever_its_unpacker_raises(method, spoilt, cause):
    buffer = BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        archive.writestr("a.json", b'[{"ph": "X", "name": "a", "ts": 1}]' * 9)
    data = bytearray(buffer.getvalue())
    at = data.index(spoilt)
    if method == zipfile.ZIP_STORED:
        data[at + 16 : at + 20] = b"\xff\xff\xff\x7f"  # where the directory begins
    else:
        data[at : at + len(spoilt)] = spoilt[:-1] + b"\xff"
    with pytest.raises(TraceError, match="zip file is damaged") as refusal:
        open_trace(bytes(data))
    assert type(refusal.value.__cause__).__name__ == cause


def test_an_empty_path_is_no_folder():
    with pytest.raises(TraceError, match="No file was named"):
        open_trace("")


def test_a_trace_that_mentions_other_formats_is_still_a_trace():
    text = b'{"schema": 1, "traceEvents": [{"ph": "X", "name": "nodes", "ts": 1}], "nodes": 1}'
    assert open_trace(text).spans["name"].tolist() == ["nodes"]


class Refusing(BytesIO):
    """A file that opens and cannot be read, such as another process' memory."""

    def read(self, *_):
        raise OSError(5, "Input/output error")


@pytest.mark.parametrize("source", ["a" * 300, "a" * 5000, "a\0b", Refusing(b"x")])
def test_what_the_system_refuses_is_told_in_one_sentence(source):
    with pytest.raises(TraceError, match=r"cannot be read \([\w /]+\); check the path\.$"):
        open_trace(source)
