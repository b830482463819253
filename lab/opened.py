"""Reads uploaded files and samples, once each.

What was read is kept for the session that opened it, keyed by the file's hash; two of them,
because a long trace takes hundreds of MB.
"""

import hashlib

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from lab.catalogue import language, t
from lab.inspection import Inspection
from lab.study import Study
from traces import Sample, open_sample, open_trace

MAX_UPLOAD_MB = 100
MAX_UNPACKED_BYTES = 800 << 20


def read_upload(file: UploadedFile) -> Inspection:
    """The trace in an uploaded file. Raises TraceError with one sentence."""
    data = file.getvalue()
    with st.spinner(t("inspect.reading"), show_time=True):
        return _opened(hashlib.sha256(data).hexdigest(), file.name, language(), data)


def read_sample(sample: Sample) -> Inspection:
    """A bundled trace."""
    with st.spinner(t("inspect.reading"), show_time=True):
        return _sampled(sample, language())


def read_recording(study: Study) -> Inspection:
    """A recorded run, read as the file that it is saved to."""
    with st.spinner(t("inspect.reading"), show_time=True):
        digest = hashlib.sha256(study.file).hexdigest()
        return _opened(digest, t("inspect.recorded"), study.file)


@st.cache_resource(max_entries=2, show_spinner=False, scope="session")
def _opened(digest: str, name: str, spoken: str, _data: bytes) -> Inspection:
    """`digest`, `name` and the language are the key, for an inspection keeps sentences; hashing
    the bytes again would take as long as reading."""
    return Inspection(open_trace(_data, name, MAX_UNPACKED_BYTES), name, digest)


@st.cache_resource(max_entries=8, show_spinner=False)
def _sampled(sample: Sample, spoken: str) -> Inspection:
    return Inspection(open_sample(sample), sample.title, sample.file)
