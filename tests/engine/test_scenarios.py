"""Random scenarios in which everything happens at once: as many as `--scenarios` says (500 where a
change is checked before it lands), and 100,000 with `--long`.

Run them outside the suite with `python -m tests.engine.scenarios --count 20000`.
"""

from collections import Counter

import pytest

from tests.engine.scenarios import describe, faults_in

PARTS = 2
LONG = 100_000
LEAST_SHARE, ENOUGH = 0.05, 250
"""Each feature has so large a share of so many scenarios or more."""


@pytest.mark.parametrize("part", range(PARTS))
def test_whatever_happens_at_once_no_law_is_broken_and_everything_happens(part, request):
    option = request.config.getoption
    count = (LONG if option("--long") else option("--scenarios")) // PARTS
    fired: Counter[str] = Counter()
    for number in range(part * count, (part + 1) * count):
        seen, broken = faults_in(number)
        assert broken == [], f"scenario {number}\n{describe(number)}"
        fired.update(seen)
    print(dict(fired.most_common()))
    assert fired
    if count >= ENOUGH:
        rare = {name: times for name, times in fired.items() if times < LEAST_SHARE * count}
        assert rare == {}, f"of {count} scenarios"
