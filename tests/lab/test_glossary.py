"""Every cause of idle time has its sentence, on the pages and in the docs."""

from pathlib import Path

import pytest

from engine.modes.table import MODES
from lab.glossary import cause_table, glossary_page, meaning, rule_meaning, says
from traces.finding_rules import RULES
from traces.gap import LATENCY, NO_LAUNCH, UNTRACED

PAGE = Path(__file__).resolve().parents[2] / "docs" / "glossary-of-gaps.md"
CAUSES = {mode.cause for mode in MODES.values() if mode.cause} | {LATENCY, NO_LAUNCH, UNTRACED}


def test_the_committed_page_is_what_the_command_writes() -> None:
    assert glossary_page() == PAGE.read_text("utf-8"), (
        "run: python -m lab.glossary > docs/glossary-of-gaps.md"
    )


@pytest.mark.parametrize("rule", [rule.name for rule in RULES])
def test_every_rule_has_a_sentence_and_fits_into_the_verdict(rule: str) -> None:
    assert rule_meaning(rule).endswith(".") and len(rule_meaning(rule).split()) > 6
    assert says(rule).split()[0] in {"waits", "is"} and not says(rule).endswith(".")


@pytest.mark.parametrize("cause", sorted(CAUSES))
def test_every_cause_of_a_mode_is_explained(cause: str) -> None:
    assert meaning(cause).endswith(".")
    table = cause_table([cause])
    assert table["What it means"].tolist() == [meaning(cause)]


def test_a_step_of_the_host_has_words_of_its_own() -> None:
    assert "KV blocks" in meaning("allocate") != meaning("update state")


def test_a_finding_that_is_no_gaps_has_no_sentence() -> None:
    assert rule_meaning("exposed communication") == ""
