"""Recordings that were named twice: their work would count twice without a word."""

from collections.abc import Sequence

import numpy as np

from traces.schema import Trace

COMPARED = ("ts_ns", "dur_ns", "device", "stream", "correlation", "kind", "name")


def told_twice(traces: Sequence[Trace], labels: Sequence[str]) -> list[str]:
    """A sentence for each recording with GPU work that stands among the traces more than once."""
    groups: list[list[int]] = []
    for number, trace in enumerate(traces):
        for group in groups:
            if _is_same(traces[group[0]], trace):
                group.append(number)
                break
        else:
            groups.append([number])
    return [
        f"{', '.join(labels[n] for n in group[:-1])} and {labels[group[-1]]} hold the same events, "
        "so their work counts more than once; name each recording once."
        for group in groups
        if len(group) > 1 and traces[group[0]].devices
    ]


def _is_same(a: Trace, b: Trace) -> bool:
    if len(a.spans) != len(b.spans) or any(
        a.meta.get(key) != b.meta.get(key) for key in ("clock_start_ns", "unix_start_ns", "file")
    ):
        return False
    return all(
        np.array_equal(np.asarray(a.spans[name]), np.asarray(b.spans[name])) for name in COMPARED
    )
