"""Modes of what a device does beyond plain launches: graphs, allocators, shared engines.

`expect` is transcribed from the catalogue by hand, as in `engine.modes.table`.
"""

from engine.modes.mode import mode

CONTENTION = (
    mode(
        "two-copy-engines", "streams",
        "Copies of both directions run side by side, each on an engine of its own.",
        cost="two-copy-engines",
    ),
    mode(
        "one-copy-engine", "streams",
        "One copy engine for both directions: inputs queue behind results, and steps take longer.",
        cost="one-copy-engine",
    ),
    mode(
        "two-graphs-contend", "graphs",
        "Two graphs at once with a pool each: right, but two large kernels share one device.",
        "graphs=private graph_concurrency=at-once", "M",
    ),
)  # fmt: skip

GRAPHS = (
    mode(
        "graph-replay", "graphs",
        "Decode batches are replayed from captured graphs: one launch a step, the same tokens.",
        "graphs=shared",
    ),
    mode(
        "graph-private-pools", "graphs",
        "A pool of intermediates for every graph: right, and many times the memory.",
        "graphs=private", "M",
    ),
    mode(
        "graph-mixed-up", "graphs",
        "The other slot's graph is replayed: it reads that slot's inputs and writes its outputs.",
        "graphs=shared graph_slot=mixed-up", "T H",
        hazards="WAR device inputs,WAR device outputs", workload="even",
    ),
    mode(
        "graph-coarse-key", "graphs",
        "The length of the context is baked in at capture: longer rows see a truncated one.",
        "graphs=shared graph_key=coarse", "T", workload="even",
    ),
    mode(
        "graph-stale-padding", "graphs",
        "The number of rows in use is not refreshed: padding writes into other requests' blocks.",
        "graphs=shared graph_padding=stale", "T I", workload="churn",
    ),
    mode(
        "graphs-at-once", "graphs",
        "Two graphs that share a pool run at once and overwrite each other's intermediates.",
        "graphs=shared graph_concurrency=at-once", "T H",
        hazards="RAW graph pool,WAR graph pool,WAW graph pool",
    ),
    mode(
        "graph-output-inside", "graphs",
        "The results lie in the pool: the next replay overwrites them while they are copied.",
        "graphs=shared graph_output=inside", "T H", hazards="WAR graph pool",
        cost="slow-copies",
    ),
)  # fmt: skip

ALLOCATOR = (
    mode(
        "temporary-outputs", "allocator",
        "Results lie in a new tensor each step; the allocator knows which streams use it.",
        "output_memory=temporary",
    ),
    mode(
        "no-record-stream", "allocator",
        "A temporary is freed while the D2H stream still copies it: the next step gets its memory.",
        "output_memory=temporary record_stream=off", "T H", hazards="UAF temporaries",
        cost="slow-copies",
    ),
)  # fmt: skip
