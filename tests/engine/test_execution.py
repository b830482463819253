"""Running from a configuration: the published share, the worked examples, determinism."""

import json
from dataclasses import replace

import pytest

from engine import baseline, configure, execute, run
from engine.config import ConfigError
from engine.device.cost_file import dump_cost, load_cost
from engine.loop import Loop
from engine.workloads.file import dump_workload, load_workload
from engine.workloads.workload import Prompt, Workload, WorkloadError


def host_work(result, name):
    return [(s.start_ns, s.end_ns) for s in result.device.spans if s.name == name]


def test_the_published_share_of_idle_time_and_what_async_makes_of_it():
    sync, overlapped = run("sync"), run("async")
    assert overlapped.steps >= 128
    before, after = sync.figures, overlapped.figures
    assert 0.755 <= before.gpu_active <= 0.765
    assert after.gpu_active >= 0.994
    assert after.wall_ms <= 0.78 * before.wall_ms
    for result in (sync, overlapped):
        assert result.token_diff.count == 0
        assert result.hazards == []
        assert result.invariants == []


@pytest.mark.parametrize(
    ("cost", "mode", "wall_ms"),
    [("worked-2-6", "sync", 24), ("worked-2-6", "async", 20), ("worked-8-6", "async", 30)],
)
def test_the_worked_examples_come_out_exactly(cost, mode, wall_ms):
    assert run(mode, cost=cost, steps=3).wall_ns == wall_ms * 1_000_000


def test_with_three_in_flight_the_host_works_through_at_once():
    slots = {"depth": "3", "device_slots": "3", "host_slots": "3"}
    result = run("async", cost="worked-2-6", steps=3, set=slots)
    ms = 1_000_000
    starts = [start for start, _ in host_work(result, "schedule")]
    ends = [end for _, end in host_work(result, "update inputs")]
    assert list(zip(starts, ends, strict=True)) == [(0, 2 * ms), (2 * ms, 4 * ms), (4 * ms, 6 * ms)]
    assert result.wall_ns == 20 * ms


def test_the_nine_host_steps_are_spans_in_order():
    from engine.device.cost import HOST_STEPS

    names = [s.name for s in run("sync", steps=1, compute=False).device.spans if not s.waits_for]
    assert tuple(names) == HOST_STEPS


def test_the_same_configuration_and_seed_gives_the_same_trace_to_the_byte(tmp_path):
    from traces import write_trace

    for number in (1, 2):
        result = execute(configure("async", steps=20, jitter=10, seed=4))
        write_trace(result.trace, tmp_path / f"{number}.json.gz")
    assert (tmp_path / "1.json.gz").read_bytes() == (tmp_path / "2.json.gz").read_bytes()


def test_jitter_changes_times_and_no_token():
    still, moved = run("async", steps=20), run("async", steps=20, jitter=25)
    assert still.wall_ns != moved.wall_ns
    assert still.texts == moved.texts


def test_timing_alone_takes_the_same_time_as_computing():
    """Until the first request ends early: timing alone knows no EOS."""
    assert run("async", steps=30).wall_ns == run("async", steps=30, compute=False).wall_ns


def test_a_depth_of_one_is_the_synchronous_loop_line_for_line():
    from engine.loop import Loop

    def log_of(loop_name):
        config = configure("sync", steps=6, compute=False)
        original = Loop.run_sync
        if loop_name == "async":
            Loop.run_sync = Loop.run_async
        try:
            return [
                (op.kind, op.name, op.call_ns, op.start_ns, op.end_ns)
                for op in execute(config).device.log
            ]
        finally:
            Loop.run_sync = original

    assert log_of("sync") == log_of("async")


def test_an_operation_knows_the_line_of_the_loop_that_issued_it():
    from pathlib import Path

    import engine.loop

    source = Path(engine.loop.__file__).read_text(encoding="utf-8").splitlines()
    log = run("async", steps=3, compute=False).device.log
    lines = {op.name: source[op.line - 1] for op in log}
    assert "h2d.copy(" in lines["h2d tokens"]
    assert ".launch(kernel)" in lines["layer 0"]
    assert "device.write(" in lines["write inputs"]
    assert all(op.line > 0 for op in log)


@pytest.mark.parametrize("at_ms", [0, 3, 40.5, 100])
def test_a_run_is_rebuilt_to_any_instant_from_its_configuration_alone(at_ms):
    at_ns = int(at_ms * 1e6)
    config = configure("async", steps=6)
    whole = execute(config)
    part = execute(replace(config, stop_at_ns=at_ns))
    assert part.stopped
    assert part.wall_ns == at_ns
    done = [op for op in whole.device.log if op.end_ns <= at_ns and op.issue_ns < at_ns]
    again = {op.seq: op for op in part.device.log}
    assert all(again[op.seq].end_ns == op.end_ns for op in done)


@pytest.mark.parametrize("at_ns", [0, 1, 500_000])
def test_a_run_can_be_frozen_before_its_first_step_while_memory_is_allocated(at_ns):
    config = configure("temporary-outputs", steps=2, compute=False)
    assert config.cost.alloc_ns > at_ns
    frozen = execute(replace(config, stop_at_ns=at_ns))
    assert frozen.stopped
    assert (frozen.steps, frozen.requests, frozen.wall_ns) == (0, [], at_ns)


def test_streamed_text_is_the_text():
    pieces = {}
    result = run("async", requests=4, workload="churn", listener=None)
    execute(
        configure("async", requests=4, workload="churn"),
        listener=lambda request, text: pieces.setdefault(request, []).append(text),
    )
    for request in result.requests:
        streamed = "".join(pieces[request.id]).rstrip("\x03")
        assert streamed == request.text


def test_baselines_are_kept():
    config = configure("no-wait-h2d", steps=8)
    assert baseline(config) is baseline(configure("no-wait-compute", steps=8))


def test_cost_and_workload_files_are_as_good_as_presets(tmp_path):
    cost = tmp_path / "cost.json"
    cost.write_text(dump_cost(load_cost("cpu-bound")), encoding="utf-8")
    work = tmp_path / "work.json"
    work.write_text(dump_workload(load_workload("churn")), encoding="utf-8")
    assert json.loads(cost.read_text(encoding="utf-8"))["name"] == "cpu-bound"
    from_files = run("async", cost=str(cost), workload=str(work), steps=12)
    from_presets = run("async", cost="cpu-bound", workload="churn", steps=12)
    assert from_files.wall_ns == from_presets.wall_ns
    assert from_files.texts == from_presets.texts


@pytest.mark.parametrize(
    "numbers",
    [
        {"batch": 0}, {"batch": 257}, {"batch": -3}, {"steps": 0}, {"requests": -1},
        {"seed": 1 << 50}, {"seed": 1.5}, {"jitter": -5}, {"jitter": 1000},
    ],
)  # fmt: skip
def test_a_number_out_of_range_is_told_in_one_sentence(numbers):
    (name,) = numbers
    with pytest.raises(ConfigError, match=f"{name} must lie between"):
        configure("async", **numbers)


def test_toggles_may_be_plain_values_in_python():
    plain = configure("async", set={"depth": 3, "wait_h2d": False})
    assert plain == configure("async", set={"depth": "3", "wait_h2d": "off"})


def test_a_cache_too_large_to_compute_is_refused_and_may_be_timed():
    workload = replace(load_workload("chat"), kv_blocks=100_000, block_size=256)
    with pytest.raises(WorkloadError, match="kv_blocks x block_size"):
        run("async", workload=workload, steps=1)
    assert run("async", workload=workload, steps=1, compute=False).steps == 1


def test_requests_join_by_their_arrival_whatever_the_order_of_the_list():
    listed = (Prompt("a", 4, "late", 3), Prompt("b", 4, "first"), Prompt("c", 4, "second"))
    result = run("sync", workload=Workload(requests=listed))
    joined = {request.id: request.committed_at[0] for request in result.requests}
    assert joined == {"first": 0, "second": 0, "late": 3}


def test_an_exercise_may_run_a_loop_of_its_own_in_place_of_the_engines():
    class TakingTurns(Loop):
        def run_async(self) -> None:
            self.run_sync()

    config = configure("async", steps=4, compute=False)
    assert execute(config, loop_type=TakingTurns).wall_ns > execute(config).wall_ns
