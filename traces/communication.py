"""Which kernels move data between devices instead of computing: NCCL, RCCL and their like.

The libraries name their kernels after themselves; the engines' own collectives (vLLM's and
SGLang's `cross_device_reduce`, PyTorch's `multimem_all_reduce`) after the operation.
"""

import re

import pandas as pd

COLLECTIVE = re.compile(
    r"nccl|rccl|oneccl|mscclpp|nvshmem|sendrecv|cross_device_reduce"
    r"|all_?reduce|all_?gather|reduce_?scatter|all_?to_?all",
    re.IGNORECASE,
)


def is_communication(kernels: pd.DataFrame) -> "pd.Series[bool]":
    """For each kernel whether its name is a collective's; other spans are not to be asked."""
    collectives = {name for name in set(kernels["name"]) if COLLECTIVE.search(name)}
    return kernels["name"].isin(collectives)
