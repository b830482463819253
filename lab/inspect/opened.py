"""Reads uploaded files and samples, once each.

What was read is kept for the session that opened it; a few of them, because a long trace takes
hundreds of MB. One setting is the limit of an upload and of what it
may unpack to: Streamlit's `server.maxUploadSize`.
"""

import hashlib
from collections import OrderedDict
from collections.abc import Callable, Sequence

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from lab.catalogue import language, t, t_or
from lab.inspect.inspection import Inspection
from lab.study import Study
from traces import Sample, Trace, open_sample, open_trace
from traces.readers.merge import merged
from traces.readers.reader import named

KEPT = 3

Progress = Callable[[float, int], None]
"""Told how many bytes of how many are read."""


def limit_mb() -> int:
    """The most MB that one file may have, packed or unpacked."""
    return int(st.get_option("server.maxUploadSize"))


def read_uploads(files: Sequence[UploadedFile]) -> Inspection:
    """The trace in an uploaded file, or those of several files of one run on one clock, with its
    progress on the page. Raises TraceError with one sentence."""
    identity = " ".join(file.file_id for file in files)
    names = [file.name for file in files]
    return _kept(identity, lambda: [file.getvalue() for file in files], names)


def read_recording(study: Study) -> Inspection:
    """A recorded run, read as the file that it is saved to."""
    identity = hashlib.sha256(study.file).hexdigest()
    return _kept(identity, lambda: [study.file], [t("inspect.recorded")])


def _kept(identity: str, data: Callable[[], Sequence[bytes]], names: Sequence[str]) -> Inspection:
    """What this session has read of the files of this identity before, or else reads now. The
    language is part of the key, for an inspection keeps sentences. A hash, for widgets have it in
    their keys, where Streamlit does not take whatever a file may be called ("a__b.json")."""
    told, shelf = f"{identity} {language()} {names}", _shelf()
    key = hashlib.sha256(told.encode("utf-8", "replace")).hexdigest()
    if key not in shelf:
        bar = st.progress(0.0, t("inspect.reading"))

        def show(done: float, total: int) -> None:
            told = t("inspect.read", done=f"{done / 1e6:,.1f}", total=f"{total / 1e6:,.1f}")
            bar.progress(min(1.0, done / max(1, total)), told)

        try:
            with st.spinner(t("inspect.reading"), show_time=True):
                shelf[key] = Inspection(read(data(), names, show), ", ".join(names), key)
        finally:
            bar.empty()
        while len(shelf) > KEPT:
            shelf.popitem(last=False)
    shelf.move_to_end(key)
    return shelf[key]


def read(data: Sequence[bytes], names: Sequence[str], progress: Progress) -> Trace:
    """One trace of all files. Raises TraceError, which names the file where there are several."""
    total, before, traces = sum(map(len, data)), 0, []
    for part, name in zip(data, names, strict=True):

        def show(done: int, in_all: int, start: int = before, size: int = len(part)) -> None:
            progress(start + size * done / max(1, in_all), total)

        with named(name if len(data) > 1 else ""):
            traces.append(open_trace(part, name, limit_mb() << 20, show))
        before += len(part)
    progress(total, total)
    return traces[0] if len(traces) == 1 else merged(traces)


@st.cache_resource(show_spinner=False, scope="session")
def _shelf() -> OrderedDict[str, Inspection]:
    """What this session has opened, the latest last."""
    return OrderedDict()


def sample_title(sample: Sample) -> str:
    """What a bundled trace is called in the words of the interface."""
    return t_or(f"sample.{sample.code}.title", sample.title)


def sample_about(sample: Sample) -> str:
    """What a bundled trace shows, in the words of the interface."""
    return t_or(f"sample.{sample.code}.about", sample.about)


def read_sample(sample: Sample) -> Inspection:
    """A bundled trace."""
    with st.spinner(t("inspect.reading"), show_time=True):
        return _sampled(sample, language())


@st.cache_resource(max_entries=8, show_spinner=False)
def _sampled(sample: Sample, spoken: str) -> Inspection:
    return Inspection(open_sample(sample), sample_title(sample), sample.file)
