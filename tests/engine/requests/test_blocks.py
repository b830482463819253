"""Blocks behind a sliding window, where rows stand further ahead than the tokens that come of them.

A row behind drafts in flight is launched for positions that it may never reach, and padding of a
static batch goes one position back: no block that is still read may be let go.
"""

from hypothesis import given, settings
from hypothesis import strategies as st

from engine import run
from engine.workloads.workload import Prompt, Workload


@settings(max_examples=settings.default.max_examples // 4)
@given(
    window=st.sampled_from([1, 2, 3, 5, 8, 12]),
    block_size=st.sampled_from([1, 3, 5]),
    drafts=st.sampled_from([0, 2, 8]),
    admission=st.sampled_from(["full", "on-demand"]),
    batching=st.sampled_from(["continuous", "static"]),
    depth=st.integers(1, 3),
    prompts=st.lists(st.sampled_from(["a", "The", "Once upon", "{"]), min_size=1, max_size=3),
)
def test_what_is_still_read_stays(
    window, block_size, drafts, admission, batching, depth, prompts
) -> None:
    lengths = (18, 2, 9)
    workload = Workload(
        batch=2, max_batched_tokens=20, block_size=block_size, kv_blocks=100, window=window,
        speculate=drafts, admission=admission,
        requests=tuple(Prompt(text, lengths[i]) for i, text in enumerate(prompts)),
    )  # fmt: skip
    toggles = {"batching": batching, "depth": depth, "device_slots": 3, "host_slots": 3}
    result = run("async", workload=workload, set=toggles)
    assert result.token_diff.wrong == {}
    assert (result.hazards, result.invariants) == ([], [])
    assert all(len(request.tokens) > 0 for request in result.requests)


def test_drafts_under_a_window_whose_last_row_has_none() -> None:
    """Its row stood ahead of its tokens, and the blocks behind it were let go too early."""
    workload = Workload(
        batch=1, max_batched_tokens=9, block_size=5, kv_blocks=20, window=5, speculate=8,
        admission="on-demand", requests=(Prompt("a", 18, "q7"),),
    )  # fmt: skip
    result = run("async", workload=workload)
    assert result.token_diff.wrong == {} and result.token_diff.total == 18
