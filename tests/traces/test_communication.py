"""Kernels of collectives are known by their names, and others are not taken for them."""

import pandas as pd

from traces.communication import is_communication

COLLECTIVES = [
    "ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t(ncclDevComm*)",
    "ncclDevKernel_AllGather_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
    "void (anonymous namespace)::multimem_all_reduce_kernel<c10::BFloat16, 16>",
    "void vllm::cross_device_reduce_1stage<__half, 8>(RankData*)",
    "reduce_scatter_bf16",
    "nvshmemi_transfer_rma",
]
OTHERS = [
    "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float>>",
    "triton_red_fused_mean_pow_0",
    "_gather_rows",
    "scatter_add",
    "layer 3",
]


def test_collectives_are_told_from_other_kernels():
    kernels = pd.DataFrame({"name": COLLECTIVES + OTHERS})
    assert is_communication(kernels).tolist() == [True] * len(COLLECTIVES) + [False] * len(OTHERS)
