"""Progress as a file, on any page: a button to save it, a field to bring it back."""

from collections.abc import Callable

import streamlit as st

from lab.catalogue import language, t
from lab.escape import for_markdown
from lessons.progress_file import ProgressError


def progress_file(
    key: str, text: Callable[[], str], name: str, bring_back: Callable[[bytes], None]
) -> None:
    """Both, with widgets whose keys begin with `key`. `text` is what the file `name`.json holds;
    `bring_back` takes a file over, once, or raises ProgressError, whose sentence is shown."""
    st.download_button(
        t("progress.save"), text, f"{name}.json", "application/json", key=f"{key}-save",
        on_click="ignore",
    )  # fmt: skip
    file = st.file_uploader(t("progress.load"), type="json", key=f"{key}-file", max_upload_size=1)
    if file is not None and st.session_state.get(f"{key}-read") != file.file_id:
        st.session_state[f"{key}-read"] = file.file_id
        try:
            bring_back(file.getvalue())
            st.rerun()
        except ProgressError as error:
            st.error(for_markdown(error.said(language())))
