"""A run opens on its fault, and the page says which."""

from engine import configure, execute
from engine.results.verdict import own_gaps
from lab.runs import studies
from lab.study import Study
from lab.timeline.opening import STEPS, measured_opening, opening_of
from lab.timeline.scene import Scene
from tests.lab.samples import study

STEP_NS = 28_000_000


def inside(run: Study, at_ns: int, step_ns: int = STEP_NS) -> bool:
    start, end = opening_of(run, step_ns).window
    return start <= at_ns < end


def test_a_race_opens_on_the_first_of_its_operations() -> None:
    run = study("no-reuse-device-output")
    hazard = run.run.hazards[0]
    spans = run.trace.gpu_spans().set_index("correlation")
    times = [int(spans.loc[seq, "ts_ns"]) for seq in hazard.ops if seq in spans.index]
    assert times and all(inside(run, at, STEP_NS // 2) for at in times)
    assert opening_of(run, STEP_NS).why == f"the first hazard, at step {hazard.step}"


def test_wrong_tokens_alone_open_on_the_step_that_made_the_first() -> None:
    run = study("no-carry", compute=True)
    assert run.diff is not None and run.diff.count
    step = run.diff.first_step
    kernels = run.trace.spans.query("kind == 'kernel' and step == @step")
    assert inside(run, int(kernels["ts_ns"].min()))
    assert opening_of(run, STEP_NS).why == f"the first wrong token, of step {step}"


def test_a_failure_opens_on_the_step_that_failed() -> None:
    run = Study(execute(configure("kernel-error", steps=40, compute=False)))
    (step,) = run.run.failed_steps
    assert run.run.errors[0].startswith(f"step {step}: ")
    kernels = run.trace.spans.query("kind == 'kernel' and step == @step")
    assert inside(run, int(kernels["ts_ns"].min()))
    assert opening_of(run, STEP_NS).why == f"the first error, at step {step}"


def test_a_gap_toggle_opens_on_a_gap_of_its_own_cause() -> None:
    run = study("device-sync-for-results")
    causes = own_gaps(run.run)
    cause = max(causes, key=causes.__getitem__)
    opening = opening_of(run, STEP_NS)
    assert opening.why == f"a typical gap: {cause}"
    assert any(
        cause in [p.cause for p in gap.parts] and inside(run, gap.start_ns) for gap in run.gaps
    )


def test_a_measured_run_opens_where_it_is_warm_unless_it_has_a_fault() -> None:
    run = study()
    step = run.run.steps // 4
    kernels = run.trace.spans.query("kind == 'kernel' and step == @step")
    opening = measured_opening(run, STEP_NS)
    assert opening.window[0] == kernels["ts_ns"].min() > 0
    assert opening.window[1] <= run.run.wall_ns
    assert opening.why.startswith(f"step {step}, where the run is warm")
    broken = study("no-reuse-device-output")
    assert measured_opening(broken, STEP_NS) == opening_of(broken, STEP_NS)
    one = Study(execute(configure("async", steps=1, compute=False)))
    assert measured_opening(one, STEP_NS).window == (0, one.run.wall_ns)


def test_a_late_fault_is_in_view_and_the_stretch_has_its_length() -> None:
    run = study("carry-by-row", compute=True)
    start, end = opening_of(run, 1_000_000).window
    assert end - start == STEPS * 1_000_000


def test_a_correct_run_opens_with_its_first_steps() -> None:
    opening = opening_of(study(), STEP_NS)
    assert opening.window == (0, STEPS * STEP_NS)
    assert opening.why == "the first steps"


def test_a_run_of_few_steps_is_shown_whole_with_its_baselines() -> None:
    scene = Scene(*studies(configure("async", cost="worked-8-6", steps=3)))
    walls = [run.run.wall_ns for run in (scene.run, scene.sync, scene.baseline)]
    assert scene.opening.window == (0, max(walls))
    assert scene.run.run.wall_ns < max(walls), "the sync baseline takes longer"
