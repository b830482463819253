"""The bundled sample traces: small real dumps with a title and a sentence each."""

from dataclasses import dataclass
from pathlib import Path

import msgspec

from traces.readers.reader import open_trace
from traces.schema import Trace

FOLDER = Path(__file__).parent / "samples"


@dataclass(frozen=True)
class Sample:
    """One bundled trace: file name, title, and what it shows."""

    file: str
    title: str
    about: str

    @property
    def code(self) -> str:
        """What it is known by in every language: the file's name without its endings."""
        return self.file.partition(".")[0]


def list_samples(folder: Path = FOLDER) -> list[Sample]:
    """The samples that `index.json` in `folder` names and that are there, in its order."""
    index = folder / "index.json"
    if not index.is_file():
        return []
    named = msgspec.json.decode(index.read_bytes(), type=list[Sample])
    return [sample for sample in named if (folder / sample.file).is_file()]


def open_sample(sample: Sample, folder: Path = FOLDER) -> Trace:
    """The trace of a sample."""
    return open_trace(folder / sample.file)
