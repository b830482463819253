"""The game is the device and the checker, and nothing beside them.

pytest tests/engine/play/test_position.py
"""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.oplog import OpKind
from engine.play import LEVELS, OPERATIONS, play
from engine.play.answers import WORK, answer
from engine.play.sentences import LENGTH, SENTENCES, word
from tests.engine.pipelines import verdict
from tests.engine.play.logs import log_of
from tests.engine.play.programs import KEYS, played

EXAMPLES = settings().max_examples


def everything(position):
    """All that a position holds, as values that can be compared."""
    resources = {buffer.resource for buffer in position.log.buffers}
    cells = [
        (state.info, [(row, c.values.tolist(), c.op, c.at_ns) for row, c in state.cells.items()],
         sorted(state.pending))
        for state in position.buffers(*resources)
    ]  # fmt: skip
    steps = [step for step in position.steps if not step.refused]
    tokens = [batch.tokens for batch in position.batches]
    return steps, position.log.ops, cells, position.now_ns, tokens, position.verdict


@settings(max_examples=EXAMPLES // 2)
@given(played())
def test_whatever_is_pressed_is_answered_and_judged_as_the_checker_judges_the_program(game):
    level, program = game
    position = play(level, program)
    answers = [answer(position, place) for place in range(len(position.steps))]
    assert len(answers) == len(level.start) + len(program)
    assert all(a.says for a in answers)
    done = level.start + position.moves
    found = {(h.kind, h.resource, h.missing_edge) for h in position.hazards}
    assert found == verdict(log_of(level, done))
    named = {r.partition(" ")[2] for r in position.verdict.reasons if r.startswith("hazard")}
    wanted = set(level.goal.hazards or ())
    assert named == {f"{kind} {resource}" for kind, resource, _ in found} - wanted


@settings(max_examples=EXAMPLES // 4)
@given(played(), st.sampled_from(KEYS))
def test_undo_returns_to_the_identical_position(game, key):
    level, program = game
    before = play(level, program)
    play(level, before.moves + key)
    assert everything(play(level, before.moves)) == everything(before)


@settings(max_examples=EXAMPLES // 4)
@given(played())
def test_a_hazard_arises_with_the_operation_that_it_is_charged_to(game):
    level, program = game
    position = play(level, program)
    for hazard, place in zip(position.hazards, position.arisen, strict=True):
        key = hazard.kind, hazard.resource, hazard.missing_edge
        done = "".join(step.key for step in position.steps[: place + 1] if not step.refused)
        assert key in verdict(log_of(level, done))
        assert key not in verdict(log_of(level, done[:-1]))


def test_a_hazard_that_shows_twice_arose_the_first_time():
    position = play(LEVELS["two-slots"], "whkxwhk")
    assert [(h.resource, h.count > 1) for h in position.hazards] == [("device inputs", True)]
    assert position.arisen == [2]


@pytest.mark.parametrize(
    ("program", "batch"), [("w1", 0), ("w1h1", 0), ("wh1xw1", 1), ("w1hxw1", 0), ("wh1xwh1", 1)]
)
def test_a_record_is_of_the_batch_whose_work_it_stands_behind_or_of_the_next(program, batch):
    step = play(LEVELS["two-slots"], program).steps[-1]
    assert (step.refused, step.batch, step.event) == ("", batch, "h2d_done")


def test_a_missing_wait_is_computed_and_not_faked():
    position = play(LEVELS["wait-h2d"], "whkd36g")
    assert [word(token) for token in position.batches[0].tokens] == ["·"] * 4
    late = play(LEVELS["reuse-device-input"], "wh14k25d3xwh14k25d36g")
    strangers = set(sum((SENTENCES[row] for row in range(4, 8)), ()))
    assert set(late.batches[0].tokens) <= strangers


def test_a_copy_under_way_has_moved_some_rows_and_not_yet_others():
    position = play(LEVELS["reuse-host-input"], "wh14k25d3xw")
    (state,) = [s for s in position.buffers("device inputs") if s.pending]
    assert 0 < len(state.pending) < 4
    assert set(state.pending) | set(state.cells) == {0, 1, 2, 3}


def test_the_host_writes_what_it_knows():
    level = LEVELS["carry"]
    stale = play(level, "wh14k25d3xw").buffers("host inputs")[1].cells
    known = play(level, "wh14k25d36gxw").buffers("host inputs")[1].cells
    assert [stale[row].values[0] for row in range(4)] == [s[0] for s in SENTENCES[:4]]
    assert [known[row].values[0] for row in range(4)] == [s[1] for s in SENTENCES[:4]]


def test_a_level_that_is_over_takes_no_more_operations():
    level = LEVELS["one-step"]
    position = play(level, level.solution + "v")
    assert position.verdict.state == "won"
    assert position.steps[-1].refused == "over"


@pytest.mark.parametrize(
    ("level", "program", "says"),
    [
        ("one-step", "k", "refused_not_written"),
        ("one-step", "z", "refused_unknown"),
        ("one-step", "6", "refused_not_allowed"),
        ("one-step", "whh", "refused_all_done"),
        ("wait-h2d", "whk4", "refused_nothing_behind"),
        ("reuse-host-input", "9", "refused_nobody_before"),
        ("carry", "p", "refused_nothing_to_carry"),
        ("kv-release", "wxw", "refused_no_blocks"),
        ("kv-release", "i", "refused_no_free_blocks"),
        ("kv-release", "wfii", "refused_all_resident"),
        ("wait-h2d", "w4", "wait_nothing"),
        ("wait-h2d", "wh14", "wait"),
        ("wait-h2d", "w1", "record_early"),
        ("wait-h2d", "wh1", "record"),
        ("wait-h2d", "wh14k", "work_event"),
        ("wait-h2d", "wh", "work_now"),
        ("one-step", "whk", "work_stream"),
        ("blocking-streams", "wh14kd", "work_barrier"),
        ("pageable", "wh", "work_blocking"),
        ("wait-h2d", "wh14kd36", "sync_event"),
        ("wait-h2d", "w6", "sync_nothing"),
        ("one-step", "v", "sync_device_free"),
        ("one-step", "whv", "sync_device"),
        ("too-strong", "y", "sync_stream"),
        ("one-step", "whkdg", "read_wrong"),
        ("one-step", "whkdvg", "read_right"),
        ("two-slots", "x", "swap"),
    ],
)
def test_an_operation_is_answered_with_what_came_of_it(level, program, says):
    position = play(LEVELS[level], program)
    assert answer(position, len(position.steps) - 1).says == says


def test_work_is_said_to_start_when_the_log_has_it_start():
    position = play(LEVELS["too-strong"], "6gxwh14k25d3")
    for place, step in enumerate(position.steps):
        if OPERATIONS[step.key].name in WORK:
            values = answer(position, place).values
            kinds = (OpKind.KERNEL, OpKind.H2D, OpKind.D2H)
            ops = [op for op in position.log.ops[step.first : step.last] if op.kind in kinds]
            assert (values["start_ns"], values["end_ns"]) == (ops[0].start_ns, ops[-1].end_ns)


def test_sentences_have_one_length_and_no_word_twice():
    assert all(len(s) == LENGTH == len(set(s)) for s in SENTENCES)
