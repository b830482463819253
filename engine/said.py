"""Sentences that the engine puts together, with what they were made of.

A `Said` is the English sentence, and whoever speaks another language finds its pattern by `code`
and fills in the same `values`. What this module does not do: any other language.
"""

from typing import Self

PATTERNS = {
    "place": "{name} on {stream}",
    "place_batch": "{name} of batch {step} on {stream}",
    "place_graph": "{name} in the {graph} on {stream}",
    "place_graph_batch": "{name} in the {graph} of batch {step} on {stream}",
    "seen_tokens": "wrong tokens {count} of {total} positions, from step {step} on",
    "seen_hazard": "a hazard: {race} on {resource}, {pairs} pair",
    "seen_hazards": "a hazard: {race} on {resource}, {pairs} pairs",
    "seen_invariant": "a broken invariant: {text}",
    "seen_error": "an error: {text}",
    "seen_idle": "{share} % of the run idle beyond the async baseline: {cause}",
    "seen_idle_more": "{share} % of the run idle beyond the async baseline: {cause} "
    "({largest} %), and {more} more",
    "seen_steps": "{count} steps where {right} do",
    "seen_wasted": "{count} wasted rows where {right} do",
    "seen_timer": "the engine's timer reads {measured} ms of GPU work a step, the kernels took "
    "{right} ms",
    "peak_in_flight": "{peak} tokens were in flight, {bound} are allowed",
    "peak_drafts": "{peak} KV blocks were held for rejected drafts, 0 are allowed",
    "peak_pools": "the pools of {graphs} graphs take {peak} bytes, one shared pool {bound}",
    "peak_plan": "with the batches in flight {peak} KV blocks were planned, {bound} exist",
    "fix_wait": "{role}.wait({done})  # before {actor} that {verb} it",
    "fix_synchronize": "{done}.synchronize()  # before the host {act}",
    "fix_graph": "compute.wait(first_graph_done)  # before the graph that shares its pool",
    "fix_record_stream": "temporary.record_stream({role})  # before it is freed",
    "fix_enqueue": "enqueue {earlier} of the earlier batch before {role} {verb} its data",
    "fix_finish": "finish the batch that still owns this {thing} before {act}",
    "fix_wait_behind": "issue the wait for {event} behind its record: before it, it is a no-op",
    "fix_record_behind": "record {event} behind '{name}', not before it",
    "broken_reader": "batch {step} reads KV block {block}, which request {request} does not own",
    "broken_writer": "batch {step} writes KV block {block}, which request {request} does not own",
    "broken_wrote": "batch {step} writes KV block {block}, which none of its requests owns",
    "broken_twice": "batch {step} was settled twice",
    "broken_rows": "the results of batch {step} were matched with the rows of another batch",
    "broken_lengths": "request {request} has {scheduled} tokens scheduled, {computed} computed and "
    "{committed} committed: these may only shrink from left to right",
    "broken_called_off": "request {request} committed tokens that were called off: {committed} of "
    "{output}",
    "broken_streamed": "request {request} streamed uncommitted tokens",
    "broken_place": "request {request} committed the result for output token {output} as its token "
    "{committed}: results were lost or doubled when it was preempted",
    "broken_release": "the KV blocks of request {request} are released twice",
    "broken_holder": "KV block {block} does not belong to request {request}",
    "broken_reserved": "request {request} takes more KV blocks than it reserved",
    "broken_past": "request {request} has tokens past its end",
    "broken_stop": "request {request} streamed {count} tokens that are part of a stop string or "
    "stand behind it",
    "broken_unstreamed": "request {request} streamed {streamed} of {shown} committed tokens",
    "broken_unfinished": "request {request} was never finished: {count} launched rows were not "
    "committed",
    "broken_pool": "{count} KV blocks were never released",
    "broken_grammar": "request {request} wrote illegal JSON at byte {byte}",
    "failed_operation": "{kind} '{name}' failed, reported by '{wait}' at line {line} of "
    "engine/loop.py",
    "failed_host": "the host raised an exception while it updated its state",
    "error_fail": "step {step}: {error}; requests {names} ended as failed",
    "error_retry": "step {step}: {error}; requests {names} are computed again from their committed "
    "tokens",
    "error_nobody": "step {step}: {error}; no request wanted its results",
    "nothing": "nothing",
    "nothing_of_its_own": "nothing that can be told from what the other switches do",
    "nothing_without_tokens": "nothing in the timing, and tokens were not computed",
    "nothing_implied": "nothing, for with {slots} {side} slots at depth {depth} the batch that had "
    "the slot before is finished: another edge implies this one",
}
"""What is said, by code."""


class Said(str):
    """A sentence in English that knows its `code` in PATTERNS and the `values` it was filled with,
    sentences of this kind among them.

    It cannot be changed; what is cut from it or put together of it is a plain string, and `str`
    makes it one, which is what JSON wants.
    """

    __slots__ = ("code", "values")
    code: str
    values: dict[str, str]

    def __new__(cls, code: str, **values: object) -> Self:
        words = {name: v if isinstance(v, Said) else str(v) for name, v in values.items()}
        said = super().__new__(cls, PATTERNS[code].format(**words))
        said.code, said.values = code, words
        return said

    def __reduce__(self) -> tuple[object, ...]:
        """Copies and other processes get the code and the values, too."""
        return _again, (self.code, self.values)


def _again(code: str, values: dict[str, str]) -> Said:
    return Said(code, **values)
