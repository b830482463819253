"""What a page opens: uploaded files, a bundled sample or the last recording, whichever came last.

Used once on the Inspect page and twice on the Compare page; each has keys of its own. A file that
cannot be read is told in one sentence.
"""

from dataclasses import dataclass

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from lab.catalogue import t
from lab.escape import for_markdown
from lab.guard import one_sentence
from lab.in_url import put_into_url, take_from_url
from lab.inspect.inspection import Inspection
from lab.inspect.opened import read_recording, read_sample, read_uploads, sample_about, sample_title
from lab.picture.window import WindowKeys, forget
from lab.record.last import recording
from traces import list_samples

NONE, RECORDED = "none", "recorded"
NAMES = {NONE: "inspect.no_sample", RECORDED: "inspect.recorded"}
"""What the list has beside the samples, which stand in it by their titles: the English ones are
their codes in the URL."""


@dataclass(frozen=True)
class Picker:
    """Names under which a place to open a trace keeps its state. `sample` is also the URL's
    parameter, `first` the sample that is open at first (-1: none), `windows` the timeline that
    starts anew with another trace."""

    sample: str
    first: int
    windows: WindowKeys

    @property
    def round(self) -> str:
        """Counts the uploaders that were emptied."""
        return f"{self.sample}-round"

    @property
    def uploader(self) -> str:
        """A new key is a new, empty uploader: the only way to take a file out of one."""
        return f"trace-{self.sample}-{st.session_state.get(self.round, 0)}"

    @property
    def is_used(self) -> bool:
        """Whether something was chosen here, be it opened or refused."""
        sample = st.session_state.get(self.sample, NONE)
        return bool(st.session_state.get(self.uploader)) or sample != NONE


def source(picker: Picker, place: DeltaGenerator, label: str) -> Inspection | None:
    """Draw both ways to open a trace into `place`, and open it."""
    left, right = place.columns([2, 1])
    files = left.file_uploader(
        label, accept_multiple_files=True, key=picker.uploader, help=t("inspect.lead"),
        on_change=_let_go_of_sample, args=(picker,),
    )  # fmt: skip
    left.caption(t("inspect.limit"))
    samples = {sample.title: sample for sample in list_samples()}
    recorded = recording()
    titles = [*samples, *([RECORDED] if recorded else [])]
    title = ""
    if titles:
        first = [NONE, *titles][picker.first + 1]
        take_from_url(picker.sample, [NONE, *titles], first)
        title = right.selectbox(
            t("inspect.sample"), [NONE, *titles], key=picker.sample, on_change=_let_go_of_upload,
            args=(picker,), format_func=lambda title: (
                t(NAMES[title]) if title in NAMES else sample_title(samples[title])
            ),
        )  # fmt: skip
        put_into_url(picker.sample, first)
        if title in samples:
            right.caption(for_markdown(sample_about(samples[title])))
    else:
        right.caption(t("inspect.no_samples"))
    # Progress comes and goes in a place of its own: were it to shift the page below, the browser
    # would make those fields anew and lose what is typed into them meanwhile.
    with left.container(), one_sentence():
        if files:
            return read_uploads(files)
        if title in samples:
            return read_sample(samples[title])
        if recorded and title == RECORDED:
            return read_recording(recorded.study)
    return None


def _let_go_of_sample(picker: Picker) -> None:
    """Callback: an uploaded file takes the place of the sample."""
    st.session_state[picker.sample] = NONE
    forget(st.session_state, picker.windows)


def _let_go_of_upload(picker: Picker) -> None:
    """Callback: a chosen sample takes the place of the uploaded file."""
    st.session_state[picker.round] = st.session_state.get(picker.round, 0) + 1
    forget(st.session_state, picker.windows)
