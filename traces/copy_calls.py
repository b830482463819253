"""Calls that copy between host and device, and may be slow because the host copies, too.

The driver stages pageable memory: the call moves it to memory of the driver's own before the device
can begin. That a copy is of pageable memory stands in its name on CUDA; ROCm never says.
"""

import numpy as np

from traces.schema import Trace

STAGING = "pageable copy"
BLOCKING = "blocking copy"
"""Of a slow call of which the memory is not known."""

COPY_CALL = "Memcpy"
PAGEABLE, PINNED = "Pageable", "Pinned"
DIRECTED = ("h2d", "d2h")


def copy_calls(trace: Trace) -> dict[int, str]:
    """For each copy on a device that the host may have staged what its call does if it is slow:
    `STAGING` or `BLOCKING`. Copies of pinned memory and those inside a device are left out."""
    launches = trace.flows[trace.flows["kind"] == "launch"]
    calls, copies = launches["src"].to_numpy(), launches["dst"].to_numpy()
    directed = trace.spans["kind"].iloc[copies].isin(DIRECTED).to_numpy()
    calls, copies = calls[directed], copies[directed]
    names = trace.spans["name"]
    by_call = names.iloc[calls].astype(str).str.contains(COPY_CALL).to_numpy(dtype=bool)
    memory = names.iloc[copies[by_call]].astype(str)
    is_pageable = memory.str.contains(PAGEABLE).to_numpy(dtype=bool)
    is_pinned = memory.str.contains(PINNED).to_numpy(dtype=bool) & ~is_pageable
    labels = np.where(is_pageable, STAGING, BLOCKING)[~is_pinned]
    return dict(zip(copies[by_call][~is_pinned].tolist(), labels.tolist(), strict=True))
