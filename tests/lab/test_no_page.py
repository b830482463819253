"""An address that is no page's is told."""

import pytest

from lab.no_page import no_page

PAGES = ("", "timeline", "inspect")


@pytest.mark.parametrize(
    ("url", "base", "missing"),
    [
        ("http://localhost:8501/", "", ""),
        ("http://localhost:8501", "", ""),
        ("", "", ""),
        ("http://localhost:8501/inspect", "", ""),
        ("http://localhost:8501/nonsense", "", "nonsense"),
        ("http://localhost:8501/a/b%20c", "", "a/b c"),
        ("https://school.example/lab/", "lab", ""),
        ("https://school.example/lab/inspect", "/lab/", ""),
        ("https://school.example/lab/nonsense", "lab", "lab/nonsense"),
    ],
)
def test_the_path_of_no_page_is_named(url: str, base: str, missing: str) -> None:
    assert no_page(url, base, PAGES) == missing
