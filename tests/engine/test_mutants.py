"""Every mutant of the engine's order is caught, as docs/mutants.md says.

The document is written by `python -m tests.engine.mutation`; here its rows are tried again where
it says that the mutant shows, two thirds of them only with `--slow`. A mutant that nothing catches
is tried everywhere with `--slow`, else in a few cells, which differ from one such to the next.
"""

from functools import lru_cache

import pytest

from tests.engine.equivalent_mutants import EQUIVALENT
from tests.engine.mutants import mutants
from tests.engine.mutation import CELLS, DOCUMENT, letters_in, live_mutants
from tests.sparing import every

ROWS = [
    [field.strip() for field in line.strip("|\n ").split(" | ")]
    for line in DOCUMENT.read_text(encoding="utf-8").splitlines()
    if line.startswith("| ") and not line.startswith("| mutant ")
]
CELL = {str(cell): cell for cell in CELLS}
QUIET = [row[0] for row in ROWS if row[1] == "nothing"]


@lru_cache(maxsize=1)
def by_name():
    return {mutant.name: mutant for mutant in mutants()}


def test_the_document_lists_the_mutants_of_every_line_that_a_correct_engine_comes_to():
    assert [row[0] for row in ROWS] == [mutant.name for mutant in live_mutants()]


@pytest.mark.parametrize("row", every(3, ROWS, lambda row: row[0]))
def test_a_mutant_shows_what_the_document_says(row, pytestconfig):
    name, verdicts, _, instance = row
    if verdicts == "nothing":
        assert instance == EQUIVALENT[name]
        place = QUIET.index(name)
        cells = CELLS if pytestconfig.getoption("--slow") else CELLS[place :: len(QUIET)]
        assert not any(letters_in(by_name()[name], cell) for cell in cells)
    else:
        letters, _, where = instance.partition(" at ")
        assert " ".join(letters_in(by_name()[name], CELL[where])) == letters
        assert set(letters.split()) <= set(verdicts.split())


def test_no_mutant_is_called_equivalent_that_something_catches():
    uncaught = {row[0] for row in ROWS if row[1] == "nothing"}
    assert uncaught == set(EQUIVALENT)
