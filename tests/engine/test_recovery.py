"""Whatever fails, at any step: an error for the right requests alone, and the loop goes on."""

from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import engine.loop
from engine import configure, execute
from engine.batch import new_batch
from engine.oplog import OpKind
from engine.results.verdict import letters
from engine.workloads.presets import WORKLOADS
from engine.workloads.workload import Prompt
from tests.engine import test_pressure as pressure
from tests.engine import test_random_runs as plain

KINDS = ("kernel", "copy", "host")
POLICIES = ("fail", "retry")
SEEN: Counter[str] = Counter()

faults = st.tuples(st.integers(1, 25), st.sampled_from(KINDS), st.sampled_from(POLICIES))


def run(kind, policy="fail", step=20, workload="chat", mode="async", toggles=None, **made):
    """A run in which batch `step` fails, and the requests of every batch by its step."""
    work = WORKLOADS[workload] if isinstance(workload, str) else workload
    work = replace(work, fault_step=step)
    settings = {"inject": kind, "on_fault": policy, **(toggles or {})}
    batches = {}

    def spy(device, number, rows, *slots):
        batches[number] = [row.request for row in rows]
        return new_batch(device, number, rows, *slots)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(engine.loop, "new_batch", spy)
        result = execute(configure(mode, set=settings, workload=work, **made))
    return result, batches


def named(error):
    """The request ids that an error names."""
    return error.split("; requests ")[1].split(" e")[0].split(" a")[0].split(", ")


def check(result, batches, step, policy):
    """What must hold of every run in which batch `step` failed, or was never reached."""
    assert result.token_diff.count == 0
    check_but_for_tokens(result, batches, step, policy)


def check_but_for_tokens(result, batches, step, policy):
    assert result.invariants == []
    assert result.hazards == []
    pool = result.parts.pool
    assert (pool.in_use, pool.promised) == (0, 0)
    failed = [request for request in result.requests if request.failed]
    assert len(result.errors) == (step in batches)
    if not result.errors:
        assert failed == []
        return
    (error,) = result.errors
    assert error.startswith(f"step {step}: ")
    hit = named(error) if "; requests " in error else []
    assert {request.id for request in failed} == (set(hit) if policy == "fail" else set())
    assert set(hit) <= {request.id for request in batches[step]}
    for request in batches[step]:
        assert step not in request.committed_at
        if request.id not in hit:  # it was over when its last row failed
            assert request.cancelled or request.committed_at[-1] < step
    SEEN.update([policy])


def test_all_others_say_what_they_would_have_said():
    @settings(max_examples=settings.default.max_examples // 4)
    @given(
        plain.workloads(), plain.costs, plain.toggles, plain.graphs, faults,
        st.integers(0, 30), st.integers(0, 2**16),
    )  # fmt: skip
    def law(work, cost, settings, replay, fault, jitter, seed):
        step, kind, policy = fault
        made = {"cost": cost, "seed": seed, "jitter": jitter}
        result, batches = run(kind, policy, step, work, toggles={**settings, **replay}, **made)
        check_but_for_tokens(result, batches, step, policy)
        spec_of = {spec.id: spec for spec in work.requests}
        assert {request.id for request in result.requests} == set(spec_of)
        for request in result.requests:
            expected = plain.alone(spec_of[request.id].prompt)[: request.max_new_tokens]
            assert tuple(request.tokens) == expected[: request.committed]
            assert request.failed or request.committed == len(expected)

    law()
    assert min(SEEN[policy] for policy in POLICIES) > 1, SEEN


def test_under_memory_pressure_a_failure_spoils_no_block():
    @settings(max_examples=settings.default.max_examples // 4)
    @given(
        pressure.workloads(), pressure.swap_costs, pressure.toggles, faults,
        st.integers(0, 30), st.integers(0, 2**16),
    )  # fmt: skip
    def law(work, cost, toggles, fault, jitter, seed):
        step, kind, policy = fault
        made = {"cost": cost, "seed": seed, "jitter": jitter}
        result, batches = run(kind, policy, step, work, toggles=toggles, **made)
        check(result, batches, step, policy)

    law()


@pytest.mark.parametrize("workload", ["records", "penalised", "stop-strings", "sampled"])
@pytest.mark.parametrize("policy", POLICIES)
def test_requests_go_on_under_their_grammar_penalties_and_seeds(workload, policy):
    for step, kind in ((7, "kernel"), (16, "host"), (33, "copy")):
        toggles = {"depth": "3", "device_slots": "3", "host_slots": "2"}
        result, batches = run(kind, policy, step, workload, toggles=toggles, requests=7)
        check(result, batches, step, policy)


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("kind", KINDS)
def test_drafts_in_flight_are_called_off_with_their_batch(kind, policy):
    work = replace(WORKLOADS["churn"], count=6, batch=3, longest=24, speculate=3)
    for step in range(3, 15, 4):
        toggles = {"depth": str(step // 2 % 4 + 1), "device_slots": str(step % 5 + 1)}
        result, batches = run(kind, policy, step, work, toggles=toggles)
        check(result, batches, step, policy)
        assert result.parts.speculation.proposed > 0


@pytest.mark.parametrize("kind", KINDS)
def test_the_requests_of_the_batch_fail_and_nobody_else(kind):
    result, batches = run(kind, workload="churn")
    (error,) = result.errors
    assert named(error) == [request.id for request in batches[20]]
    assert {r.id for r in result.requests if r.failed} == set(named(error))
    assert 0 < len(named(error)) < len(result.requests)
    assert letters(result) == {"E"}


def test_failed_requests_keep_their_tokens_and_leave_the_comparison():
    result, _ = run("kernel")
    failed = [request for request in result.requests if request.failed]
    others = sum(r.committed for r in result.requests if not r.failed)
    assert result.token_diff.total == others
    assert all(0 < r.committed < r.max_new_tokens and r.finished for r in failed)
    truth = {r.id: r.tokens for r in execute(configure("sync")).requests}
    assert all(r.tokens == truth[r.id][: r.committed] for r in failed)


@pytest.mark.parametrize("kind", ["kernel", "copy"])
def test_an_asynchronous_error_is_reported_where_the_host_waits_for_the_batch(kind):
    lines = reported_at(run(kind)[0])
    assert lines == ["                    batch.d2h_done.synchronize()"]


def test_a_blocking_launch_reports_the_error_at_its_own_line():
    lines = reported_at(run("kernel", toggles={"blocking_launch": "on"})[0])
    assert lines == ["            side.launch(kernel)"]


def reported_at(result):
    """The lines of the loop that the errors name."""
    with open(engine.loop.__file__, encoding="utf-8") as file:
        lines = file.read().splitlines()
    numbers = [int(e.split(" at line ")[1].split(" of ")[0]) for e in result.errors]
    return [lines[number - 1] for number in numbers]


def test_without_a_wait_nobody_hears_of_the_error():
    result, _ = run("kernel", toggles={"sync_d2h": "off"})
    assert result.errors == []
    assert result.token_diff.count > 0


def test_the_failed_work_is_not_done():
    """The KV rows of the failed step and the token it should have left stay as they were."""
    work = replace(WORKLOADS["even"], count=1, batch=1)
    before, _ = run("none", step=5, workload=work, steps=5)
    failed, _ = run("kernel", step=5, workload=work, steps=6)
    for old, new in zip(before.parts.forward.kv, failed.parts.forward.kv, strict=True):
        assert old.tensor.equal(new.tensor)
    assert before.parts.forward.ring.tensor.equal(failed.parts.forward.ring.tensor)


@pytest.mark.parametrize("policy", POLICIES)
def test_what_a_failed_chunk_never_wrote_is_not_published(policy):
    """The next chunk, in flight behind it, is good; the blocks before it are not."""
    work = replace(WORKLOADS["shared-prefix"], max_batched_tokens=24, block_size=8, count=5)
    toggles = {"depth": "3", "device_slots": "3", "host_slots": "3"}
    for step in (1, 2):
        result, batches = run("kernel", policy, step, work, toggles=toggles)
        check(result, batches, step, policy)
        assert result.parts.scheduler.blocks.reused > 0


def test_what_was_swapped_out_behind_a_failed_batch_is_not_swapped_in(pytestconfig):
    """A request is preempted while its failed chunk is in flight: it has to start anew."""
    listed = (Prompt("Mara the baker lost", 20), Prompt("Otto the fisher hauled up a rusty", 20))
    work = replace(WORKLOADS["swap"], batch=2, max_batched_tokens=4, requests=listed, kv_blocks=15)
    toggles = {"depth": "4", "device_slots": "4", "host_slots": "4", "reserve": "ignores"}
    swapped = set()
    for step in range(1, 30, 1 if pytestconfig.getoption("--slow") else 3):
        result, batches = run("kernel", "retry", step, work, toggles=toggles)
        check(result, batches, step, "retry")
        swapped.add(any(op.name == "h2d layer 0" for op in result.device.log))
    assert True in swapped


@pytest.mark.parametrize("discard", ["nothing", "too-much"])
def test_what_was_in_flight_behind_the_failed_batch_is_discarded_exactly(discard):
    result, _ = run("kernel", "retry", toggles={"preempt_discard": discard})
    assert {"T", "I"} <= letters(result)


def test_a_failed_step_takes_its_time_and_the_log_keeps_its_operations():
    usual = execute(configure(steps=21)).device.log
    failed = run("kernel", steps=21)[0].device.log
    kernels = [
        [(op.name, op.start_ns, op.end_ns) for op in log if op.kind is OpKind.KERNEL]
        for log in (usual, failed)
    ]
    assert kernels[0] == kernels[1]


@pytest.mark.parametrize("kind", KINDS)
def test_the_timing_alone_knows_of_the_error_too(kind):
    (alone,) = run(kind, compute=False)[0].errors
    assert alone == run(kind)[0].errors[0]


def test_without_a_step_of_its_own_a_workload_fails_at_the_default_one():
    (error,) = execute(configure("kernel-error")).errors
    assert error.startswith("step 20: kernel 'layer 0' failed")


def test_a_failure_behind_the_last_batch_never_comes():
    result, batches = run("kernel", step=500)
    check(result, batches, 500, "fail")
    assert letters(result) == set()
