"""Args of spans as one text: for pandas a column of dicts, whatever is done to it."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.traces.builders import json_values
from traces.args_column import ArgsArray, encoded

dicts = st.none() | st.dictionaries(st.text(max_size=4), json_values, max_size=3)
columns = st.lists(dicts, max_size=6)


def column(values):
    return pd.Series(ArgsArray._from_sequence(values))


@given(columns, columns, st.randoms())
def test_what_is_put_in_is_found_again_picked_joined_and_compared(values, more, dice):
    series = column(values)
    assert series.tolist() == values
    assert series.isna().tolist() == [value is None for value in values]
    places = [dice.randrange(len(values)) for _ in range(5)] if values else []
    assert series.iloc[places].tolist() == [values[place] for place in places]
    assert series[series.isna()].tolist() == [None] * values.count(None)
    joined = pd.concat([series, column(more)], ignore_index=True)
    assert joined.tolist() == values + more
    assert joined.equals(column(values + more))
    assert series.equals(column(values))


@given(columns)
def test_two_columns_are_equal_only_where_their_values_are(values):
    other = [{"own": 1} if value is None else value for value in values]
    assert column(values).equals(column(other)) == (values == other)


def test_a_place_that_is_missing_has_no_args():
    taken = ArgsArray._from_sequence([{"a": 1}, None]).take([1, -1, 0], allow_fill=True)
    assert list(taken) == [None, None, {"a": 1}]


def test_a_part_shares_the_text_of_the_whole():
    whole = ArgsArray._from_sequence([{"a": "x" * 1000}, {"b": 2}])
    assert whole[np.array([1])]._text is whole._text


@pytest.mark.parametrize("text", [b'{"a":1e999}', b'{"a":"\xff"}', b'{"a"', b"[1]", b"7", b""])
def test_text_that_is_no_dict_is_no_args(text):
    lengths = np.array([len(encoded(text))], dtype=np.int32)
    assert ArgsArray(encoded(text), np.zeros(1, dtype=np.int64), lengths)[0] is None
