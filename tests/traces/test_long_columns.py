"""The columns of a long trace are narrow, and nobody who reads them can tell."""

import numpy as np
import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from traces import Trace, open_trace
from traces.readers.span_table import categorical
from traces.schema import ID_COLUMNS

words = st.lists(st.text(max_size=3), min_size=1, max_size=5)


@given(words, st.data())
def test_a_text_column_reads_as_its_words_even_where_one_stands_twice(words, data):
    numbers = np.array(data.draw(st.lists(st.integers(0, len(words) - 1))), dtype=np.int64)
    column = pd.Series(categorical(words, numbers))
    assert column.tolist() == column.to_numpy().tolist() == [words[n] for n in numbers]
    assert all(type(word) is str for word in column)


@given(st.lists(st.integers(-(1 << 62), 1 << 62) | st.integers(-1, 99), min_size=1, max_size=4))
def test_an_id_of_any_size_is_kept(ids):
    rows = [dict.fromkeys(ID_COLUMNS, number) for number in ids]
    spans = Trace.from_rows(rows).spans
    for name in ID_COLUMNS:
        assert spans[name].tolist() == ids


def test_a_span_of_a_profilers_file_takes_less_than_sixty_bytes():
    events = b",".join(
        b'{"ph":"X","cat":"cpu_op","name":"op %d","ts":%d,"dur":1,"pid":1,"tid":%d}'
        % (n % 300, n, n % 5)
        for n in range(5_000)
    )
    spans = open_trace(b"[" + events + b"]").spans
    assert spans.memory_usage(index=False).sum() < 60 * len(spans)
