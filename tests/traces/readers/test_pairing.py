"""Begin and end events: the pairing by its law, and at a cost that grows with the events."""

from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from traces.readers.pairing import Pairing

NAMES = ("a", "b", "", None, 7)


class Mark(NamedTuple):
    """An event with nothing but a name."""

    name: object


def paired(marks):
    """(name, start, end) of all spans, stray ends, unclosed beginnings."""
    pairing = Pairing()
    for ts, (begins, name) in enumerate(marks):
        pairing.add("thread", ts, begins, Mark(name))
    spans = [(span.event.name, span.start_ns, span.end_ns) for span in pairing.spans(len(marks))]
    return spans, pairing.stray_ends, pairing.unclosed


def by_the_rule(marks):
    """The same by the plain rule: search the whole stack for every end."""
    stack, spans, strays = [], [], 0
    for ts, (begins, name) in enumerate(marks):
        if begins:
            stack.append((name, ts))
            continue
        found = [d for d, (open_name, _) in enumerate(stack) if name in (None, "", open_name)]
        strays += not found
        if found:
            spans += [(*opened, ts) for opened in stack[found[-1] :]]
            del stack[found[-1] :]
    return spans + [(*opened, len(marks)) for opened in stack], strays, len(stack)


@given(st.lists(st.tuples(st.booleans(), st.sampled_from(NAMES)), max_size=60))
def test_an_end_closes_the_innermost_of_its_name_and_all_inside(marks):
    assert paired(marks) == by_the_rule(marks)


class Counted(str):
    """A name that counts how often it is compared."""

    compared = 0

    def __eq__(self, other):
        Counted.compared += 1
        return str.__eq__(self, other)

    __hash__ = str.__hash__


@pytest.mark.parametrize("ends", ["g", "f"])
def test_the_cost_grows_with_the_events_and_not_with_their_square(ends):
    costs = []
    for count in (500, 1000):
        Counted.compared = 0
        marks = [(True, Counted("f"))] * count + [(False, Counted(ends))] * count
        spans, strays, _ = paired(marks)
        assert (len(spans), strays) == (count, count if ends == "g" else 0)
        costs.append(Counted.compared)
    assert costs[1] <= 2.5 * costs[0]
