"""Parameters of tests that are alike and costly: a part of them runs always, all with `--slow`."""

from collections.abc import Callable, Iterable

import pytest


def every(nth: int, values: Iterable, name: Callable[..., str] = str) -> list:
    """All values as parameters, called by `name`; all but each `nth` one are marked slow."""
    return [
        pytest.param(value, id=name(value), marks=[pytest.mark.slow] if number % nth else [])
        for number, value in enumerate(values)
    ]
