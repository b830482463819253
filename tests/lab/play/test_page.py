"""The Play page, and what it says of a position."""

import plotly.graph_objects as go
import pytest
from hypothesis import given, settings
from streamlit.testing.v1 import AppTest

from engine.play import LEVELS, OPERATIONS, play
from lab.catalogue import t
from lab.picture.palette import ALARM
from lab.play.picture import position_lanes, position_picture
from lab.play.progress import bring_back, dumped
from lab.play.state import Game, new_game
from lab.play.tables import buffers_html, program_html, words_html
from lab.play.words import answer_text, facts_text, fix_text, hazard_text, verdict_text
from lessons.progress import Done, loaded
from lessons.progress import dumped as course_progress
from lessons.progress_file import ProgressError
from tests.engine.play.programs import played
from tests.lab.apps import open_page


def host_page(**query: str) -> AppTest:
    return open_page("lab/pages/host.py", **query)


def press(app: AppTest, *names: str) -> None:
    for name in names:
        app.button(key=f"host-{name}").click().run()
        assert not app.exception


def html_of(app: AppTest) -> str:
    return "".join(block.proto.body for block in app.get("html"))


def test_a_level_is_won_by_its_buttons_and_then_explained() -> None:
    app = host_page()
    assert not app.exception and "Four requests" in app.markdown[1].value
    press(app, *LEVELS["one-step"].solution)
    assert "Solved" in app.success[0].value
    shown = " ".join(block.value for block in app.markdown)
    assert "launch returns at once" in shown and "`whkdvg`" in shown
    assert "1 of 20" in " ".join(block.value for block in app.caption)
    assert dict(app.query_params) == {"level": "one-step", "moves": "whkdvg", "solved": "1"}


def test_a_lost_level_names_the_hazard_and_a_step_back_saves_it() -> None:
    app = host_page(moves="whkd")
    press(app, "g")
    assert "RAW host outputs" in app.error[0].value
    (told,) = [block.value for block in app.markdown if "d2h_done.synchronize()" in block.value]
    assert told.endswith("This level has no button for that; what makes its host wait is "
                         "Synchronize device.")  # fmt: skip
    assert 'class="wrong"' in html_of(app)
    press(app, "undo", "v", "g")
    assert app.success


def test_what_is_not_possible_says_why_and_changes_nothing() -> None:
    app = host_page()
    press(app, "k")
    assert "written by the host first" in app.info[0].value
    assert "moves" not in app.query_params
    press(app, "w")
    assert "Not possible" not in app.info[0].value


def test_the_url_gives_level_program_and_solved_levels() -> None:
    app = host_page(level="two-slots", moves="wh14k?", solved="1.2.99.x")
    assert not app.exception
    assert "there is no operation" in app.info[0].value
    assert app.query_params["moves"] == "wh14k"
    labels = app.selectbox[0].options
    assert [label.endswith("✓") for label in labels[:3]] == [True, True, False]
    assert {b.key for b in app.button} >= {f"host-{key}" for key in LEVELS["two-slots"].allowed}
    assert not [b for b in app.button if b.key == "host-p"]


def test_another_level_keeps_the_program_of_this_one() -> None:
    app = host_page(moves="wh")
    press(app, "next")
    assert app.query_params["level"] == "wait-h2d" and "moves" not in app.query_params
    app.selectbox[0].select("one-step").run()
    assert app.query_params["moves"] == "wh"


def test_hints_come_one_by_one() -> None:
    app = host_page()
    for hint in LEVELS["one-step"].hints:
        assert hint not in [block.value for block in app.markdown]
        press(app, "hint")
    assert sum("Hint" in block.value for block in app.markdown) == 3
    assert not [b for b in app.button if b.key == "host-hint"]


def test_two_keys_pressed_before_the_page_is_drawn_both_count() -> None:
    game = Game("one-step")
    game.press("w")
    game.press("h")
    assert game.position().moves == "wh" == game.moves
    game.press("z")
    game.position()
    assert game.moves == "wh" and "no operation" in game.refused
    game.undo()
    game.position()
    assert game.moves == "w" and game.refused == ""


def test_the_game_of_a_bad_url_is_the_first_level() -> None:
    game = new_game({"level": "<b>", "moves": "w" * 1000, "solved": "-1.0.21.."})
    assert (game.level, game.solved) == ("one-step", set())
    assert game.position().moves == "w"
    assert game.programs == {"one-step": "w"}


def test_progress_is_taken_along_in_a_file_and_brought_back() -> None:
    game = Game("one-step", "whkdvg")
    game.position()
    game.go_on()
    saved = dumped(game)
    other = Game("one-step", "w", solved={"carry"})
    bring_back(other, saved)
    assert (other.solved, other.moves) == ({"one-step"}, "whkdvg") and dumped(other) == saved
    bring_back(other, saved.replace("one-step", "no-such-level"))
    assert (other.solved, other.programs, other.moves) == (set(), {}, "")


def test_the_page_takes_a_file_over_and_refuses_the_other_kind_in_one_sentence() -> None:
    app = host_page()
    file = app.file_uploader(key="host-progress-file")
    file.upload("course.json", course_progress({"07": Done(solved=True)}).encode()).run()
    assert not app.exception and "no progress of Play the host" in app.error[0].value
    won = Game("one-step", "whkdvg")
    won.position()
    file = app.file_uploader(key="host-progress-file")
    file.upload("play.json", dumped(won).encode()).run()
    assert not app.exception and app.success and app.query_params["moves"] == "whkdvg"


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{}", '{"version": 1, "lessons": {}}', "9" * 300_000,
     '{"version": 2, "solved": [], "programs": {}}'],
)  # fmt: skip
def test_a_file_that_holds_no_progress_changes_nothing(text: str) -> None:
    game = Game("one-step", "wh", solved={"carry"})
    with pytest.raises(ProgressError) as error:
        bring_back(game, text)
    assert "\n" not in str(error.value) and (game.moves, game.solved) == ("wh", {"carry"})


def test_the_course_refuses_the_progress_of_play() -> None:
    with pytest.raises(ProgressError, match="no progress of the course"):
        loaded(dumped(Game("one-step")))


@settings(max_examples=settings().max_examples // 4)
@given(played())
def test_there_is_a_sentence_for_whatever_comes_of_an_operation(game) -> None:
    level, program = game
    position = play(level, program + "z")
    said = [answer_text(position, place) for place in range(len(position.steps))]
    assert all("{" not in text for text in said) and "no operation “z”" in said[-1]
    assert verdict_text(position) and facts_text(position)
    for hazard in position.hazards:
        told = hazard_text(position, hazard)
        assert hazard.first in told and hazard.second in told and hazard.resource in told
        fix = fix_text(position, hazard)
        assert f"`{hazard.fix.text}`" in fix and "{" not in fix and "for wait" not in fix
        assert "no button" not in fix or any(
            t(f"host.do_{OPERATIONS[key].name}") in fix for key in set(level.allowed) & set("069yv")
        )
    assert len(program_html(position).split("<tr>")) == 2 + len(level.start + position.moves)


def test_the_picture_has_a_lane_for_each_stream_from_the_start_and_the_host_in_it() -> None:
    empty = play(LEVELS["two-slots"], "")
    assert [lane.label for lane in position_lanes(empty, {})] == ["host", "H2D", "compute", "D2H"]
    figure = position_picture(play(LEVELS["two-slots"], "wh14k25d36g")).figure
    go.Figure(figure)
    names = {trace.get("name") for trace in figure["data"]}
    assert {"host", "h2d 0", "kernel 0", "d2h 0", "gap"} <= names
    assert [shape["x0"] for shape in figure["layout"]["shapes"]][-1] == pytest.approx(9.66, abs=0.5)


def test_a_race_is_marked_in_the_picture_and_at_its_operation() -> None:
    position = play(LEVELS["reuse-device-input"], "wh14k25d3xwh14k")
    assert "hazard" in {trace.get("name") for trace in position_picture(position).figure["data"]}
    (line,) = [row for row in program_html(position).split("<tr>") if ALARM in row]
    assert "<td>h</td>" in line and "WAR on device inputs" in line


def test_buffers_show_words_slots_and_what_is_half_written() -> None:
    position = play(LEVELS["reuse-host-input"], "wh14k25d3xw")
    host_inputs, device_inputs, *_ = buffers_html(position)
    assert ">A+B<" in host_inputs and "trains<sup>1</sup>" in host_inputs
    assert ">A<" in device_inputs and ">B<" in device_inputs
    assert 'class="pending"' in device_inputs
    blocks = buffers_html(play(LEVELS["kv-release"], "wh14k2fi"))[-1]
    assert "owls watch the quiet moon" in blocks
    carried = buffers_html(play(LEVELS["carry"], "wxp"))[0]
    assert "(carry)" in carried


def test_wrong_words_stand_beside_the_right_ones() -> None:
    shown = words_html(play(LEVELS["one-step"], "whkdg"))
    assert shown.count('class="wrong"') == 4 and "watch, falls, drift, hum" in shown


def test_every_operation_has_a_key_of_its_own_that_streamlit_may_use() -> None:
    assert len({key.upper() for key in OPERATIONS}) == len(OPERATIONS)
    assert not {"C", "R", "N", "T"} & {key.upper() for key in OPERATIONS}
