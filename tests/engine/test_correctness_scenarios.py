"""The eight correctness scenarios: state that changes from step to step, with batches in flight.

Each test makes sure that the thing really happens in its run, in both forms of the loop and
with two, three and four batches in flight; `check` says what must hold of every run.
"""

import json
from collections import defaultdict
from dataclasses import replace
from functools import lru_cache

import pytest

from engine import configure, execute
from engine.model.tokenizer import EOS, decode
from engine.requests.grammar import read
from engine.workloads.presets import WORKLOADS
from engine.workloads.repeats import REPEATS
from engine.workloads.workload import Prompt, Workload
from tests.engine import test_recovery as recovery
from tests.engine.stories import check, play

STORIES = (
    "Mara the baker lost her silver thimble under",
    "Otto the fisher hauled up a rusty",
    "Pia the pilot unfolded the secret map in",
    "Ivan the clockmaker repaired the",
)
RECORD = (
    '{"owner": "Silas", "thing": "model ship", "story": ["bottled", "far from any shore"], '
    '"seen": true, "witness": {"name": "Mara",'
)
"""The model writes it to its end."""

both_loops = pytest.mark.parametrize("loop", ["pipelined", "ready-queue"])
several_depths = pytest.mark.parametrize("depth", [2, 3, 4])


@lru_cache
def run_of_sync(workload):
    """The synchronous run that all forms and depths of a scenario are held against."""
    return execute(configure("sync", workload=workload))


def steps_of_sync(workload):
    """The step that commits each token of a request in the synchronous loop, by its id."""
    return {request.id: request.committed_at for request in run_of_sync(workload).requests}


@both_loops
@several_depths
def test_one_ends_one_goes_on_and_one_joins(loop, depth):
    """A ends by EOS in step t, B goes on, C joins in step t + 1."""
    ending = Prompt(RECORD, 60, "A")
    going, joining = Prompt(STORIES[0], 60, "B"), Prompt(STORIES[1], 24, "C")
    work = Workload(batch=3, max_batched_tokens=200, requests=(ending, going, joining))
    t = steps_of_sync(replace(work, requests=(ending, going)))["A"][-1]
    joining = replace(joining, arrival_step=t + 1)
    story = play(replace(work, requests=(ending, going, joining)), loop, depth)
    check(story, depth)
    ended = story.request("A")
    assert (ended.tokens[-1], ended.committed_at[-1]) == (EOS, t)
    assert ended.committed < ended.max_new_tokens
    assert story.members(t) == ["A", "B"]
    assert story.members(t + 1) == ["A", "B", "C"]  # nobody knows of the EOS yet
    assert story.members(t + depth) == ["B", "C"]  # from now on the rows have moved up
    assert len(story.rows("A")) == ended.committed + depth - 1
    assert story.request("B").committed_at[-1] > t + depth


@both_loops
@several_depths
def test_a_request_is_cancelled_in_flight(loop, depth):
    """B's client hangs up while rows of B are in flight: nothing of them is committed."""
    listed = tuple(Prompt(text, 40, name) for text, name in zip(STORIES, "ABCD", strict=True))
    work = Workload(batch=3, max_batched_tokens=96, requests=listed)
    whole = run_of_sync(work).texts
    hanging_up = replace(listed[1], cancel_step=17)
    story = play(replace(work, requests=(listed[0], hanging_up, *listed[2:])), loop, depth)
    check(story, depth)
    cancelled = story.request("B")
    flying = story.interrupted["B"]
    assert cancelled.cancelled
    assert flying >= depth - 1
    assert cancelled.scheduled == cancelled.committed + flying
    assert 0 < cancelled.committed < cancelled.max_new_tokens
    assert whole["B"].startswith(story.heard["B"]) and story.heard["B"]
    assert all(story.request(name).text == whole[name] for name in "ACD")


@both_loops
@several_depths
@pytest.mark.parametrize("preemption", ["recompute", "swap"])
def test_the_pool_is_nearly_full_and_one_is_preempted(loop, depth, preemption):
    """D, the youngest, has to go while batches of it are in flight, and comes back."""
    listed = tuple(Prompt(text[:9], 24, name) for text, name in zip(STORIES, "ABCD", strict=True))
    work = Workload(
        batch=4, max_batched_tokens=4, block_size=2, kv_blocks=48, requests=listed,
        admission="on-demand", preemption=preemption,
    )  # fmt: skip
    story = play(work, loop, depth)
    check(story, depth)
    assert story.result.parts.pool.peak_in_use >= work.kv_blocks - 2
    assert story.interrupted["D"] == depth - 1
    victim = story.request("D")
    assert victim.called_off >= depth - 1
    assert story.joined["D"] == story.result.parts.scheduler.preemption.count + 1 > 1
    names = [op.name for op in story.result.device.log]
    assert ("h2d layer 0" in names) == (preemption == "swap")
    begun = [row.start for row in story.rows("D")].count(0)
    assert begun == (story.joined["D"] if preemption == "recompute" else 1)


@both_loops
@several_depths
def test_a_prefix_hit_spares_a_request_part_of_its_prefill(loop, depth):
    """C and D begin with what was computed for A. B, in the same batch as A, came too early."""
    shared = STORIES[0]
    listed = tuple(
        Prompt(f"{shared} {text}", 20, name, arrival)
        for text, name, arrival in zip(STORIES, "ABCD", (0, 0, 6, 9), strict=True)
    )
    work = Workload(
        batch=4, max_batched_tokens=160, block_size=8, requests=listed, prefix_cache=True
    )
    story = play(work, loop, depth)
    check(story, depth)
    begun = {name: story.rows(name)[0].start for name in "ABCD"}
    blocks = (1 + len(shared)) // work.block_size
    assert story.members(0) == ["A", "B"]
    assert begun["A"] == begun["B"] == 0
    assert begun["C"] == begun["D"] == blocks * work.block_size
    assert story.result.parts.scheduler.blocks.reused == 2 * blocks
    plain = run_of_sync(replace(work, prefix_cache=False))
    assert story.result.texts == plain.texts


@both_loops
@several_depths
def test_no_some_and_all_drafts_are_accepted(loop, depth):
    """All three happen in one run, and the rejected ones are called off."""
    record = '{"owner": "Tess", "thing": "velvet bookmark", "seen": true}'
    constrained = Prompt(f"[{record}, {record[:22]}", 28, grammar="json")
    listed = (*(Prompt(text, 28) for text, _ in REPEATS[:4]), constrained)
    work = Workload(batch=3, max_batched_tokens=96, requests=listed, speculate=4)
    story = play(work, loop, depth)
    check(story, depth)
    tried = [(proposed, accepted) for proposed, accepted in story.drafts if proposed > 1]
    assert any(accepted == 0 for _, accepted in tried)
    assert any(0 < accepted < proposed for proposed, accepted in tried)
    assert any(accepted == proposed for proposed, accepted in tried)
    for request in story.result.requests:
        assert request.drafted == 0 < request.called_off
        assert request.scheduled - request.called_off >= request.committed


@both_loops
@several_depths
def test_a_grammar_and_a_stop_string_reach_across_tokens(loop, depth):
    """A token is a byte: JSON's words and the stop strings are complete only behind several."""
    record = Prompt('{"seen": n', 30, "A", grammar="json")
    both = Prompt('{"a": t', 60, "B", grammar="json", stop=('", "age',))
    stopped = Prompt(STORIES[0], 60, "C", stop=(" she opened", " shell"))
    listed = (record, both, stopped, Prompt(STORIES[1], 60, "D"))
    work = Workload(batch=4, max_batched_tokens=200, requests=listed)
    story = play(work, loop, depth)
    check(story, depth)
    free = tuple(replace(prompt, grammar="", stop=()) for prompt in listed)
    unruled = run_of_sync(replace(work, requests=free)).texts
    for prompt in (record, both):  # without its grammar it would not have become JSON
        assert read((prompt.prompt + story.request(prompt.id).text).encode()) is not None
        assert read((prompt.prompt + unruled[prompt.id]).encode()) is None
    assert json.loads(record.prompt + story.heard["A"]) == {"seen": None}
    for prompt in (both, stopped):
        request, length = story.request(prompt.id), len(prompt.stop[0])
        assert decode(request.tokens) == story.heard[prompt.id] + prompt.stop[0]
        assert len(set(request.committed_at[-length:])) == length
    assert unruled["C"].startswith(story.heard["C"] + stopped.stop[0])
    assert len(story.rows("C")) == story.request("C").committed + depth - 1  # late by so many


@both_loops
@several_depths
@pytest.mark.parametrize("graphs", ["shared", "private"])
def test_a_graphs_buffers_are_used_again_with_other_rows(loop, depth, graphs):
    """One captured graph is replayed for other requests, for other rows, and for fewer rows."""
    work = replace(WORKLOADS["churn"], count=8, batch=4, shortest=8, longest=40)
    story = play(work, loop, depth, graphs=graphs)
    check(story, depth)
    replays = defaultdict(set)
    for step, batch in story.batches.items():
        for graph in batch.graphs:
            replays[graph.key].add(tuple(story.members(step)))
    assert len(replays) >= depth
    assert any(len({len(members) for members in rows}) > 1 for rows in replays.values())
    moved = [
        name
        for rows in replays.values()
        for name in {name for members in rows for name in members}
        if len({members.index(name) for members in rows if name in members}) > 1
    ]
    assert moved


@both_loops
@pytest.mark.parametrize("policy", recovery.POLICIES)
@pytest.mark.parametrize("kind", recovery.KINDS)
def test_exception_at_any_step(kind, policy, loop, pytestconfig):
    """Depth 1 to 4; every third step of a run in turn, with `--slow` every step."""
    work = replace(WORKLOADS["churn"], count=4, batch=3, shortest=3, longest=7)
    for step in range(1, 40, 1 if pytestconfig.getoption("--slow") else 3):
        toggles = {"loop": loop, "depth": str(step % 4 + 1), "host_slots": str(step % 5 + 1)}
        result, batches = recovery.run(kind, policy, step, work, toggles=toggles)
        recovery.check(result, batches, step, policy)
        if step not in batches:
            break
    assert 8 < step < 39
