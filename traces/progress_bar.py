"""A bar on the terminal while files are read; nothing where stderr is no terminal."""

from collections.abc import Iterator
from contextlib import contextmanager

from tqdm import tqdm

from traces.readers.progress import Progress


@contextmanager
def reading_bar() -> Iterator[Progress]:
    """A listener for `open_trace` that moves a bar; the bar is gone afterwards."""
    with tqdm(desc="reading", unit="B", unit_scale=True, leave=False, disable=None) as bar:

        def tell(done: int, in_all: int) -> None:
            bar.total = in_all
            bar.update(done - bar.n)

        yield tell
