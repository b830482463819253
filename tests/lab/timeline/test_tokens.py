"""Wrong tokens are marked, right ones are not."""

from engine import baseline, run
from engine.model.tokenizer import EOS, encode
from engine.requests.request import Request
from engine.results.token_diff import TokenDiff
from lab.tables import hazard_table, idle_table
from lab.timeline.tokens import marked, texts_html
from tests.lab.samples import study


def test_runs_of_wrong_tokens_are_marked_with_colour_and_signs() -> None:
    html = marked(list(b"hello"), [1, 2])
    assert html == 'h<b class="wrong">⟨el⟩</b>lo'


def test_missing_tokens_are_counted() -> None:
    assert "missing tokens: 2" in marked(list(b"ab"), [2, 3])


def test_bytes_that_form_no_text_and_ends_are_shown() -> None:
    assert "\ufffd" in marked([0xFF], [])
    assert marked([ord("a"), EOS], []) == "a"


def test_requests_with_wrong_tokens_come_first_beside_the_baseline() -> None:
    right = Request("r0", encode("one "), 9, tokens=list(b"two"))
    wrong = Request("r1", encode("three "), 9, tokens=list(b"fOur"))
    truth = Request("r1", encode("three "), 9, tokens=list(b"four"))
    html = texts_html([right, wrong], [right, truth], TokenDiff({"r1": [1]}, 7, 3))
    assert html.index("r1: wrong tokens 1 of 4") < html.index("r0: all right, tokens 3 of 3")
    assert html.count("sync baseline") == 1
    assert 'f<b class="wrong">⟨O⟩</b>ur' in html


def test_the_hazard_table_names_edge_and_fix() -> None:
    table = hazard_table(study(wait_h2d="off").run.hazards)
    assert "h2d_done → compute" in set(table["Missing edge"])
    assert table["Fix"].str.contains("h2d_done").any()
    assert hazard_table([]).empty


def test_the_idle_table_adds_up() -> None:
    sync = study("sync")
    table = idle_table({"run": sync.numbers.gaps}, {"run": sync.numbers.wall_ms})
    assert abs(table["run (ms)"].sum() - sync.numbers.gpu_idle_ms) < 1e-6


def test_a_request_that_failed_or_was_cancelled_is_said_to_be_so() -> None:
    for mode, word in (
        ("kernel-error", "failed after"),
        ("cancel-at-once", "cancelled by its client"),
    ):
        found = run(mode)
        html = texts_html(found.requests, baseline(found.config).requests, found.token_diff)
        for request in found.requests:
            if request.failed or request.cancelled:
                line = next(part for part in html.split("<h4>") if f"{request.id}:" in part)
                assert word in line and f"after {len(request.tokens)} of" in line
                assert "all right" not in line.split("</h4>")[0]
        assert word in html
