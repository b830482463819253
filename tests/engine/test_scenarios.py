"""500 random scenarios in which everything happens at once; `--long` tries 100,000.

Run them outside the suite with `python -m tests.engine.scenarios --count 20000`.
"""

from collections import Counter

import pytest

from tests.engine.scenarios import describe, faults_in

PARTS = 2
USUAL, LONG = 500, 100_000
LEAST_SHARE = 0.05


@pytest.mark.parametrize("part", range(PARTS))
def test_whatever_happens_at_once_no_law_is_broken_and_everything_happens(part, request):
    count = (LONG if request.config.getoption("--long") else USUAL) // PARTS
    fired: Counter[str] = Counter()
    for number in range(part * count, (part + 1) * count):
        seen, broken = faults_in(number)
        assert broken == [], f"scenario {number}\n{describe(number)}"
        fired.update(seen)
    print(dict(fired.most_common()))
    assert fired
    rare = {name: times for name, times in fired.items() if times < LEAST_SHARE * count}
    assert rare == {}, f"of {count} scenarios"
