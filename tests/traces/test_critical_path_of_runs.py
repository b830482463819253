"""The critical path of the engine's runs, held against what the run was really made of.

The modelled run says how long it would take if one kind of work took longer. It grows by that for
every time such work lies on the critical path, and not at all for the times it does not: the path
is found from the trace, the growth by running again.
"""

from collections import Counter
from dataclasses import replace
from functools import lru_cache

import pytest

from engine import run
from engine.oplog import NONE
from engine.results.dump import DEVICE_KINDS, waits
from traces import find_critical_path

MODES = ("async", "sync", "one-stream", "item-sync", "one-device-slot")
MORE_NS = 1_000
WORK = {
    "sample": ("kernel_ns", "sample"),
    "schedule": ("host_ns", "schedule"),
    "update state": ("host_ns", "update state"),
    "d2h out": ("d2h_ns", ""),
}
"""The name of each kind of work in a trace, and where the cost model says how long it takes."""


@lru_cache(maxsize=len(MODES))
def recorded(mode):
    return run(mode, compute=False, steps=8)


def longer(cost, field, name):
    value = getattr(cost, field)
    more = value + MORE_NS if not name else {**value, name: value[name] + MORE_NS}
    return replace(cost, **{field: more})


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", WORK)
def test_work_that_takes_longer_lengthens_the_run_as_often_as_it_is_on_the_path(mode, name):
    base = recorded(mode)
    path = find_critical_path(base.trace)
    cost = longer(base.config.cost, *WORK[name])
    other = find_critical_path(run(mode, compute=False, steps=8, cost=cost).trace)
    on_path = Counter(segment.name for segment in path.segments)[name]
    assert other.ns - path.ns == on_path * MORE_NS


@pytest.mark.parametrize("mode", MODES)
def test_each_operation_on_the_path_comes_after_one_it_depends_on(mode):
    log = list(recorded(mode).device.log)
    known = {(source, target) for source, target, _ in waits(recorded(mode).device.log)}
    latest = {}
    for op in log:
        if op.kind in DEVICE_KINDS:
            known.add((latest.get(op.stream), op.seq))
            latest[op.stream] = op.seq
    spans = recorded(mode).trace.spans
    segments = find_critical_path(recorded(mode).trace).segments
    checked = 0
    for before, segment in zip(segments, segments[1:], strict=False):
        ids = [spans["correlation"][part.span_id] for part in (before, segment)]
        if spans["device"][segment.span_id] == NONE:
            continue
        checked += 1
        if spans["device"][before.span_id] == NONE:
            assert ids[0] == ids[1]  # its launch
        elif segment.after == "engine":  # one copy engine a direction: copies take turns
            assert spans["kind"][before.span_id] == spans["kind"][segment.span_id] == "d2h"
        else:
            assert tuple(ids) in known
    assert checked
