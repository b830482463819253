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
    "nothing": "nothing",
    "nothing_of_its_own": "nothing of its own",
    "nothing_without_tokens": "nothing in the timing, and tokens were not computed",
    "nothing_implied": "nothing, for with {slots} {side} slots at depth {depth} the batch that had "
    "the slot before is finished: another edge implies this one",
}
"""What is said, by code."""


class Said(str):
    """A sentence in English that knows its `code` in PATTERNS and the `values` it was filled with.

    It cannot be changed; what is cut from it or put together of it is a plain string, and `str`
    makes it one, which is what JSON wants.
    """

    __slots__ = ("code", "values")
    code: str
    values: dict[str, str]

    def __new__(cls, code: str, **values: object) -> Self:
        words = {name: str(value) for name, value in values.items()}
        said = super().__new__(cls, PATTERNS[code].format(**words))
        said.code, said.values = code, words
        return said

    def __reduce__(self) -> tuple[object, ...]:
        """Copies and other processes get the code and the values, too."""
        return _again, (self.code, self.values)


def _again(code: str, values: dict[str, str]) -> Said:
    return Said(code, **values)
