"""The Stepper page, and what it writes of an instant."""

from functools import cache
from unittest.mock import patch

import pytest
from streamlit.testing.v1 import AppTest

from engine import configure
from engine.recording.history import BlockState
from engine.recording.host_place import source
from engine.recording.recording import Recording, record
from lab.stepper.cursor import KEY, TYPED, Cursor
from lab.stepper.host import batches_html, host_text, loop_html, requests_html, streams_html
from lab.stepper.memory import IO, buffers_html, kv_html, letter
from lab.stepper.picture import picture, picture_window
from lab.study import Study
from tests.lab.apps import in_address, stepper


def at_ms(app: AppTest) -> float:
    """The instant that the URL names."""
    return float(in_address(app, "at"))


@cache
def recorded(mode: str = "async") -> Recording:
    return record(configure(mode, steps=8))


def copy_under_way(recording: Recording) -> int:
    """An instant at which some rows of a batch's tokens have arrived and some have not."""
    log = recording.run.device.log
    copy = next(op for op in log if op.name == "h2d tokens" and op.step == 3)
    return (copy.start_ns + copy.end_ns) // 2 + 1


def html_of(app: AppTest) -> str:
    return "".join(block.proto.body for block in app.get("html"))


def test_the_stepper_opens_at_an_instant_and_shows_everything() -> None:
    app = stepper()
    assert not app.exception and not app.error
    shown = html_of(app)
    assert 'class="here"' in shown
    for text in ("Call returned", "host inputs, slot A", "device inputs, slot B", "● set", "r0"):
        assert text in shown


def test_forward_and_back_return_to_the_same_picture() -> None:
    app = stepper(at="40.552")
    before = html_of(app)
    app.button(key="step-forward").click().run()
    assert at_ms(app) > 40.552
    assert html_of(app) != before
    app.button(key="step-back").click().run()
    assert at_ms(app) == 40.552
    assert html_of(app) == before


def test_a_batch_forward_goes_to_where_the_host_fills_its_slot() -> None:
    app = stepper(at="0")
    app.button(key="step-batch_forward").click().run()
    assert at_ms(app) == recorded().batches[0].begun / 1e6
    app.button(key="step-batch_forward").click().run()
    assert at_ms(app) == recorded().batches[1].begun / 1e6
    app.button(key="step-batch_back").click().run()
    assert at_ms(app) == recorded().batches[0].begun / 1e6


def test_playing_moves_by_itself_and_pauses_at_the_end() -> None:
    app = stepper(at="10")
    app.button(key="step-play").click().run()
    assert app.button(key="step-play").label == "Pause"
    cursor = app.session_state[KEY]
    here = cursor.asked_ns
    app.run()
    assert cursor.asked_ns > here
    assert at_ms(app) == 10
    cursor.asked_ns = recorded().run.wall_ns
    app.run()
    app.run()
    assert app.button(key="step-play").label == "Play"
    assert at_ms(app) == recorded().run.wall_ns / 1e6


def test_a_typed_instant_is_gone_to_and_its_field_is_free_again() -> None:
    app = stepper(at="10")
    app.number_input(key=TYPED).set_value(40.552).run()
    assert at_ms(app) == 40.552
    field = app.number_input(key=TYPED)
    assert (field.value, field.placeholder) == (None, "40.552000")


def test_coming_back_to_the_page_the_address_says_where_the_cursor_stands() -> None:
    app = stepper(at="10")
    app.button(key="step-forward").click().run()
    app.switch_page("lab/pages/timeline.py").run()
    app.query_params["at"] = "40.552"
    app.switch_page("lab/pages/stepper.py").run()
    assert app.number_input(key=TYPED).placeholder == "40.552000"


@pytest.mark.parametrize("moved", ["move", "move_batch", "play", "go"])
def test_what_a_press_does_to_the_cursor_touches_no_session(moved: str) -> None:
    """Streamlit may end a run where it touches the session's state, and the press is lost."""
    cursor = Cursor(asked_ns=0)
    arguments = {"move": (recorded(), 1), "move_batch": (recorded(), True), "play": ()}
    with patch("lab.stepper.cursor.st") as streamlit:
        getattr(cursor, moved)(*arguments.get(moved, (7,)))
    assert cursor.touched and (cursor.asked_ns or cursor.playing)
    assert streamlit.mock_calls == []


def test_a_racing_mode_opens_where_its_first_hazard_shows() -> None:
    app = stepper(mode="no-wait-compute")
    run = recorded("no-wait-compute").run
    first = max(run.device.log.ops[seq].start_ns for seq in run.hazards[0].ops)
    assert app.number_input(key=TYPED).placeholder == f"{first / 1e6:.6f}"


@pytest.mark.parametrize("at", ["1e9", "-3", "nonsense"])
def test_an_instant_outside_of_the_run_is_drawn_all_the_same(at: str) -> None:
    app = stepper(at=at, compute="off")
    assert not app.exception
    assert 'class="stepper"' in html_of(app)


def test_a_run_that_is_too_long_is_refused_in_a_sentence() -> None:
    app = stepper(steps="8192")
    assert not app.exception
    assert "too long" in app.info[0].value


def test_the_line_of_the_host_is_marked_in_the_source() -> None:
    recording = recorded()
    place = recording.at(recording.batches[2].begun).host
    shown = loop_html(place)
    (marked,) = [line for line in shown.split("<span") if "▶" in line]
    assert f"{place.line:4d}" in marked
    assert source()[place.line - 1].strip().split("(")[0] in marked
    assert f"line {place.line}" in host_text(place)


def test_half_written_rows_are_hatched_and_name_the_writer() -> None:
    recording = recorded()
    at_ns = copy_under_way(recording)
    ops = recording.run.device.log.ops
    shown = "".join(buffers_html(recording.buffers_at(at_ns, *IO), ops))
    assert 'class="pending"' in shown and "Being written by h2d tokens · 3" in shown
    (state,) = [
        s for s in recording.buffers_at(at_ns, "device inputs")
        if s.info.label == "tokens" and s.pending
    ]  # fmt: skip
    assert 0 < len(state.pending) < len(state.cells)
    later = recording.batches[3].ready
    assert 'class="pending"' not in "".join(
        buffers_html(recording.buffers_at(later, "device inputs"), ops)
    )


def test_streams_show_what_runs_and_what_waits() -> None:
    recording = recorded()
    at_ns = copy_under_way(recording)
    shown = streams_html(recording.at(at_ns).streams, at_ns)
    assert "▶ h2d tokens · 3" in shown
    assert "record h2d_done · 3" in shown and "wait for h2d_done · 3" in shown


def test_points_of_completion_are_ticked_once_they_are_passed() -> None:
    recording = recorded()
    batch = recording.batches[3]
    for at_ns, ticks in ((batch.returned, 1), (batch.ready, 2), (batch.computed, 3)):
        shown = batches_html(recording.at(at_ns))
        (row,) = [line for line in shown.split("<tr>") if "3 (slot B)" in line]
        assert row.count("✓") == ticks


def test_the_three_lengths_are_told_for_each_request() -> None:
    requests = recorded().at(recorded().batches[4].returned).requests
    shown = requests_html(requests)
    assert all(f"<td>{request.id}</td>" in shown for request in requests)
    assert any(r.scheduled > r.committed for r in requests)


def test_a_kv_block_names_its_holders() -> None:
    recording = recorded()
    at_ns = recording.batches[3].returned
    states = recording.buffers_at(at_ns, "kv blocks")
    block = next(iter(recording.at(at_ns).blocks))
    assert f"Block {block}, held by r" in kv_html(states, recording.at(at_ns).blocks)
    shared = kv_html(states, {3: BlockState("", frozenset({"a", "<b>"}))})
    assert "shared" in shared and "&lt;b&gt;" in shared and "<b>" not in shared
    assert kv_html([], {}) == ""


def test_tokens_are_shown_as_letters() -> None:
    told = {97: "“a”", 32: "“␣”", 10: r"“\n”", 3: r"“\x03”", 39: "“'”", 92: "“\\”", 226: r"“\xe2”"}
    assert {token: letter(token) for token in told} == told
    assert (letter(-1), letter(257)) == ("-1", "257")
    assert all(letter(token)[1:-1].isprintable() for token in range(256))
    assert len({letter(token) for token in range(256)}) == 256


def test_the_picture_has_a_line_at_the_cursor_and_contains_it() -> None:
    study = Study(recorded().run)
    for at_ns in (0, recorded().batches[5].computed, recorded().run.wall_ns):
        start, end = picture_window(study, at_ns)
        assert start <= at_ns <= end
        lines = [
            shape for shape in picture(study, at_ns).figure["layout"]["shapes"] if "name" in shape
        ]
        assert [line["x0"] for line in lines] == [at_ns / 1e6]
