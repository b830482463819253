"""Toggles of what a device does beyond plain launches: graphs and the caching allocator."""

from dataclasses import dataclass

from engine.mechanisms.toggles import toggle as _toggle


@dataclass(frozen=True)
class DeviceMechanisms:
    """A part of `engine.mechanisms.table.Mechanisms`."""

    # -- graphs
    graphs: str = _toggle(
        "graphs", "off | shared | private",
        "A decode batch's kernels are launched one by one. shared: captured once and replayed by "
        "one launch, all graphs' intermediates in one pool; private: a pool for each graph.",
        "private: M; off: launch overhead on the host",
    )  # fmt: skip
    graph_slot: str = _toggle(
        "graphs", "own | mixed-up",
        "The graph replayed for a batch is the one captured on its own slot's addresses.",
        "T in any order, H(WAR device inputs, WAR device outputs)",
    )  # fmt: skip
    graph_key: str = _toggle(
        "graphs", "full | coarse",
        "A graph is found by all that is baked into it. coarse: without the number of block table "
        "columns, that is the longest context.",
        "T for longer rows", "transformers #45323 (GSM8K 0.45 to 0.23)",
    )  # fmt: skip
    graph_padding: str = _toggle(
        "graphs", "refreshed | stale",
        "The number of rows in use is copied to the device before each replay; the rest is "
        "padding. stale: all rows of the graph stay in use.",
        "T I(writes into blocks of another request)", "TensorRT-LLM #18207",
    )  # fmt: skip
    graph_concurrency: str = _toggle(
        "graphs", "serial | at-once",
        "Graphs that share a pool run one after the other. at-once: a batch's two halves are "
        "graphs on two streams.",
        "T H(RAW, WAR, WAW graph pool); nothing with private pools", "pytorch #166975",
    )  # fmt: skip
    graph_output: str = _toggle(
        "graphs", "outside | inside",
        "A graph's results lie outside the pool. inside: the next replay overwrites them.",
        "T H(WAR graph pool), T by timing", "pytorch #166975",
    )  # fmt: skip
    # -- allocator
    output_memory: str = _toggle(
        "allocator", "static | temporary",
        "Results are copied out of the slot's own buffer. temporary: out of a new tensor each "
        "step, freed as soon as its copy is launched.",
        "nothing, as long as record_stream is on",
    )  # fmt: skip
    record_stream: bool = _toggle(
        "allocator", "on | off",
        "The allocator is told that the D2H stream uses a temporary, too: it waits to reuse it.",
        "T H(UAF temporaries), T by timing", "ComfyUI #10501, torchrec #4231",
    )  # fmt: skip
