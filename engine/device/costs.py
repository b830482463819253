"""The cost models that come with the engine, by name.

`published-8b` is calibrated on the 24 % idle share of the published run of an 8B model at
batch 32 on one H200 (sync 300.6 s with the GPU active 76.0 %); that article gives no times per
step, so their absolute size is ours. `worked-2-6` and `worked-8-6` are two textbook pipelines:
independent batches, P ms of host work, G ms of device work, nothing else.
"""

from engine.device.cost import MS, US, CostModel


def _worked(name: str, prepare_ms: int, compute_ms: int) -> CostModel:
    return CostModel(
        name=name,
        about=f"A textbook pipeline: {prepare_ms} ms of host work, {compute_ms} ms of device "
        "work a batch, independent batches, no copies, no launch overhead.",
        workload="independent",
        host_ns={
            "schedule": prepare_ms * MS // 2,
            "allocate": prepare_ms * MS // 4,
            "update inputs": prepare_ms * MS - prepare_ms * MS // 2 - prepare_ms * MS // 4,
        },
        kernel_ns={"layer": compute_ms * MS},
    )


def _both_ways(name: str, about: str, copy_engines: int) -> CostModel:
    return CostModel(
        name=name,
        about=f"Copies both ways that take nearly as long as a forward pass, and {about}.",
        host_ns={key: value // 2 for key, value in _PUBLISHED_HOST.items()},
        kernel_ns={key: value // 2 for key, value in _PUBLISHED_KERNELS.items()},
        h2d_ns=6_000 * US,
        d2h_ns=6_000 * US,
        launch_ns=5 * US,
        event_ns=1 * US,
        alloc_ns=900 * US,
        copy_engines=copy_engines,
    )


_PUBLISHED_HOST = {
    "schedule": 1_500 * US,
    "allocate": 1_200 * US,
    "update inputs": 950 * US,
    "read": 150 * US,
    "update state": 3_260 * US,
    "stream": 1_220 * US,
    "repeat": 150 * US,
}
_PUBLISHED_KERNELS = {
    "carry": 50 * US,
    "embed": 150 * US,
    "layer": 27_000 * US,
    "head": 600 * US,
    "sample": 200 * US,
}

COSTS: dict[str, CostModel] = {
    cost.name: cost
    for cost in (
        CostModel(
            name="published-8b",
            about="An 8B model at batch 32 on one H200: without overlap the GPU idles 24 % "
            "of the time (calibrated on that share; times a step are ours).",
            host_ns=_PUBLISHED_HOST,
            host_ns_per_row={"mask": 50 * US},
            kernel_ns=_PUBLISHED_KERNELS,
            h2d_ns=300 * US,
            d2h_ns=100 * US,
            kv_block_ns=400 * US,
            launch_ns=5 * US,
            event_ns=1 * US,
            alloc_ns=800 * US,
        ),
        _worked("worked-2-6", 2, 6),
        _worked("worked-8-6", 8, 6),
        CostModel(
            name="cpu-bound",
            about="A small model whose host is the bottleneck: more host work than device work "
            "a step, so that async still leaves the GPU waiting.",
            host_ns={key: value // 2 for key, value in _PUBLISHED_HOST.items()},
            host_ns_per_row={"mask": 25 * US},
            kernel_ns={key: value // 10 for key, value in _PUBLISHED_KERNELS.items()},
            h2d_ns=60 * US,
            d2h_ns=30 * US,
            kv_block_ns=100 * US,
            launch_ns=6 * US,
            event_ns=1 * US,
            alloc_ns=500 * US,
        ),
        CostModel(
            name="small-gpu",
            about="A slow device with a narrow bus: long kernels, and copies that take as long "
            "as the host's preparation.",
            host_ns={key: value // 2 for key, value in _PUBLISHED_HOST.items()},
            host_ns_per_row={"mask": 25 * US},
            kernel_ns=_PUBLISHED_KERNELS,
            kernel_ns_per_token=40 * US,
            free_tokens=32,
            h2d_ns=6_000 * US,
            d2h_ns=2_000 * US,
            kv_block_ns=1_500 * US,
            launch_ns=8 * US,
            event_ns=1 * US,
            alloc_ns=900 * US,
        ),
        CostModel(
            name="slow-copies",
            about="A GPU behind a narrow, busy link: input copies outlast the host's preparation "
            "and the output copy outlasts a forward pass, so that hidden races show.",
            host_ns={key: value // 2 for key, value in _PUBLISHED_HOST.items()},
            host_ns_per_row={"mask": 25 * US},
            kernel_ns={key: value // 2 for key, value in _PUBLISHED_KERNELS.items()},
            h2d_ns=12_000 * US,
            d2h_ns=36_000 * US,
            kv_block_ns=3_000 * US,
            launch_ns=5 * US,
            event_ns=1 * US,
            alloc_ns=900 * US,
        ),
        _both_ways("two-copy-engines", "a copy engine for each direction", 2),
        _both_ways("one-copy-engine", "one copy engine for both directions", 1),
    )
}
