"""The names of all devices, for tests to run on each; that of a GPU is skipped without one."""

import pytest

from engine.devices import DEVICES

NAMES = [
    pytest.param(name, marks=pytest.mark.gpu) if kind.where != "cpu" else name
    for name, kind in DEVICES.items()
]
