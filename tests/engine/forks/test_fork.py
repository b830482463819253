"""A fork is its parent up to its instant, and from the beginning the run that has the change."""

import gc
from dataclasses import replace
from functools import lru_cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import configure, execute
from engine.config import ConfigError, RunConfig
from engine.device.durations import DURATIONS, DurationError, with_duration
from engine.forks.divergence import divergence
from engine.forks.fork import CHANGEABLE, FIXED, Fork, ForkError, make_fork, read_changes
from engine.loop import Loop
from engine.mechanisms.table import BY_NAME, MechanismError, Mechanisms
from engine.modes.table import MODES
from engine.oplog import NONE
from engine.recording.recording import Recording, record
from tests.sparing import every
from traces import trace_bytes

LONG = settings().max_examples > 100
IO = ("host inputs", "device inputs", "device outputs", "host outputs", "kv blocks")


def config_of(mode: str, compute: bool = True) -> RunConfig:
    """A few steps of a mode; where a fault strikes, it strikes in one of them."""
    config = configure(mode, steps=7, compute=compute)
    return replace(config, workload=replace(config.workload, fault_step=4))


@lru_cache(maxsize=4)
def recorded(mode: str) -> Recording:
    return record(config_of(mode))


def changes() -> st.SearchStrategy[dict[str, str]]:
    toggle = st.sampled_from(CHANGEABLE).flatmap(
        lambda name: st.tuples(st.just(name), st.sampled_from(BY_NAME[name].values))
    )
    duration = st.tuples(st.sampled_from(DURATIONS), st.sampled_from(("0x", "0.3x", "4x", "9ms")))
    return st.lists(st.one_of(toggle, duration), min_size=1, max_size=3).map(dict)


@pytest.mark.parametrize("mode", ["sync", "no-wait-compute", "ready-queue"])
def test_a_fork_without_a_change_is_its_parent_to_the_byte(mode: str) -> None:
    config = replace(config_of(mode), jitter_percent=20.0)
    parent = execute(config)
    for at_ns in (0, parent.wall_ns // 2, 2 * parent.wall_ns):
        fork = execute(replace(config, fork=Fork(at_ns)))
        assert fork.device.log == parent.device.log
        assert trace_bytes(fork.trace) == trace_bytes(parent.trace)
        assert fork.texts == parent.texts


def picture(recording: Recording, at_ns: int) -> str:
    shown = recording.at(at_ns)
    return repr((recording.buffers_at(at_ns, *IO), shown.requests, shown.host, shown.blocks))


@settings(max_examples=400 if LONG else 6)
@given(st.sampled_from(list(MODES)), st.floats(0, 1), changes())
def test_up_to_its_instant_a_fork_is_its_parent(mode: str, share: float, change: dict) -> None:
    parent = recorded(mode)
    at_ns = int(share * parent.run.wall_ns)
    fork = record(replace(config_of(mode), fork=make_fork(at_ns / 1e6, change)))
    found = divergence(parent, fork)
    assert found.at_ns == NONE or found.at_ns >= at_ns
    for earlier in (at_ns - 1, at_ns // 2):
        if earlier > 0:
            assert picture(fork, earlier) == picture(parent, earlier)


def same_run(fork: RunConfig, whole: RunConfig) -> bool:
    one, other = execute(fork).device, execute(whole).device
    return one.log == other.log and one.spans == other.spans


@pytest.mark.parametrize("name", every(2, CHANGEABLE))
def test_a_toggle_changed_at_the_beginning_is_the_run_with_that_toggle(name: str) -> None:
    config = config_of("async", compute=False)
    scenes = [(config, value) for value in BY_NAME[name].values[1:]]
    scenes += [
        (config_of(mode.name, compute=False), mode.toggles[name])
        for mode in MODES.values() if name in mode.toggles
    ]  # fmt: skip
    for scene, value in scenes:
        whole = scene.mechanisms.with_settings({name: value})
        right = scene.mechanisms.with_settings({name: BY_NAME[name].correct})
        fork = replace(scene, mechanisms=right, fork=Fork(0, {name: value}))
        assert same_run(fork, replace(scene, mechanisms=whole)), value


@pytest.mark.parametrize("name", DURATIONS)
def test_a_duration_changed_at_the_beginning_is_the_run_with_that_duration(name: str) -> None:
    config = config_of("async", compute=False)
    longer = replace(config, cost=with_duration(config.cost, name, "3x"))
    assert same_run(replace(config, fork=make_fork(0, {name: "3x"})), longer)


def test_what_was_queued_before_the_instant_keeps_its_duration() -> None:
    config = config_of("async", compute=False)
    log = execute(config).device.log
    copy = next(op for op in log if op.name == "h2d tokens" and op.step == 4)
    for at_ns, factor in ((copy.call_ns + 1, 1), (copy.call_ns, 5)):
        fork = execute(replace(config, fork=Fork(at_ns, {}, {"h2d": "5x"})))
        again = fork.device.log.ops[copy.seq]
        assert (again.name, again.step, again.call_ns) == (copy.name, copy.step, copy.call_ns)
        assert again.end_ns - again.start_ns == factor * (copy.end_ns - copy.start_ns)


def test_no_part_goes_on_with_the_old_mechanisms(monkeypatch: pytest.MonkeyPatch) -> None:
    loops = []
    begin = Loop.__init__
    monkeypatch.setattr(
        Loop, "__init__", lambda self, *rest: (loops.append(self), begin(self, *rest))[1]
    )
    for mode in ("async", "graph-replay", "speculation", "constrained", "kv-released-at-once"):
        config = replace(config_of(mode, compute=False), fork=make_fork(1.0, {"zombie": "leaked"}))
        execute(config)
        held = mechanisms_held_by(loops.pop())
        assert len(held) == 1 and held[0].zombie == "leaked", mode


def mechanisms_held_by(start: object) -> list[Mechanisms]:
    """All of them that can be reached from an object, through objects of the engine."""
    seen, found, left = set(), {}, [start]
    while left:
        one = left.pop()
        if id(one) in seen or isinstance(one, type):
            continue
        seen.add(id(one))
        if isinstance(one, Mechanisms):
            found[id(one)] = one
        elif type(one).__module__.startswith(("engine.", "builtins")) and not callable(one):
            left += gc.get_referents(one)
    return list(found.values())


def test_every_toggle_can_be_changed_or_says_why_not() -> None:
    assert set(FIXED) < set(BY_NAME)
    assert set(CHANGEABLE) | set(FIXED) == set(BY_NAME)
    assert not set(DURATIONS) & set(BY_NAME)
    for name, why in FIXED.items():
        with pytest.raises(ForkError, match="cannot change in the middle of a run") as refused:
            make_fork(1.0, {name: BY_NAME[name].values[-1]})
        assert why in str(refused.value)


@pytest.mark.parametrize(
    ("at_ms", "change", "error"),
    [
        (-1.0, {}, ForkError), (float("nan"), {}, ForkError), (1.0, {"h2d": "soon"}, DurationError),
        (1.0, {"no such": "1x"}, MechanismError), (1.0, {"zombie": "fed"}, MechanismError),
    ],
)  # fmt: skip
def test_a_fork_that_makes_no_sense_is_refused(at_ms: float, change: dict, error: type) -> None:
    with pytest.raises(error) as refused:
        make_fork(at_ms, change)
    assert len(str(refused.value).splitlines()) == 1


def test_only_a_modelled_clock_can_be_forked() -> None:
    with pytest.raises(ConfigError, match="only a run on the virtual device can be forked"):
        configure("async", device="threads", fork=Fork(0))


@settings(max_examples=30)
@given(st.dictionaries(st.sampled_from((*CHANGEABLE, *DURATIONS)), st.sampled_from(("on", "3x"))))
def test_changes_are_read_as_they_are_written(written: dict[str, str]) -> None:
    parts = [f"{name}={value}" for name, value in written.items()]
    assert read_changes(" ".join(parts)) == read_changes(" ; ".join(parts)) == written
    assert read_changes(", ".join(parts).replace("=", " = ")) == written


@pytest.mark.parametrize("text", ["h2d", "h2d=", "=3x", "h2d=3x compute"])
def test_a_part_that_is_no_change_is_refused(text: str) -> None:
    with pytest.raises(ForkError, match="NAME=VALUE"):
        read_changes(text)
