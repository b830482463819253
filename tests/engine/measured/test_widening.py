"""What is held back so that a race shows."""

import pytest

from engine import run
from engine.measured.widening import COPIES, hold_back

INPUTS = {"h2d tokens", "h2d places", "h2d sampling", "h2d block_table"}


@pytest.mark.parametrize(
    ("mode", "names"),
    [
        ("no-wait-h2d", INPUTS),
        ("no-wait-compute", {"sample"}),
        ("no-sync-d2h", {"d2h out"}),
        ("no-reuse-host-input", INPUTS),
        ("no-reuse-device-output", {"d2h out"}),
        ("no-reuse-host-output", {"read outputs"}),
    ],
)
def test_what_should_come_first_is_held_back(mode, names):
    delays = hold_back(run(mode, steps=12, compute=False).device.log, 80)
    assert delays == dict.fromkeys(names, 80 // len(names))


def test_every_kernel_that_reads_racing_inputs_is_held_back():
    log = run("no-reuse-device-input", steps=12, compute=False).device.log
    assert set(hold_back(log, 80)) >= {"carry", "layer 0", "layer 1", "layer 2", "sample"}


def test_where_nothing_races_all_copies_are_held_back():
    log = run("async", steps=6, compute=False).device.log
    delays = hold_back(log, 80)
    assert set(delays) == {op.name for op in log if op.kind in COPIES}
    assert (delays["h2d tokens"], delays["d2h out"]) == (80 // len(INPUTS), 80)
