"""What is said of an address that is no page's: Streamlit shows the first page for it."""

from collections.abc import Collection
from urllib.parse import unquote, urlsplit

import streamlit as st

from lab.catalogue import t
from lab.escape import for_markdown


def no_page(url: str, base: str, pages: Collection[str]) -> str:
    """The path of a URL that is none of the pages' ("" is the first one's) below the path `base`
    of the app; "" where it is one."""
    path = unquote(urlsplit(url).path).strip("/")
    inside = path.removeprefix(base.strip("/")).strip("/")
    return "" if inside in pages else path


def say_no_page(pages: Collection[str]) -> None:
    """One sentence where the address asks for a page that does not exist."""
    missing = no_page(st.context.url or "", str(st.get_option("server.baseUrlPath") or ""), pages)
    if missing:
        st.warning(for_markdown(t("app.no_page", path=missing), 200))
