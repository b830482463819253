"""Random programs of the game that get somewhere: solutions with slips, and anything at all."""

from hypothesis import strategies as st

from engine.play import LEVELS, OPERATIONS

KEYS = "".join(OPERATIONS)


@st.composite
def played(draw):
    """A level and a program: its solution with up to four slips, or anything at all."""
    level = draw(st.sampled_from(list(LEVELS.values())))
    keys = st.sampled_from(level.allowed) | st.sampled_from(KEYS)
    if draw(st.integers(0, 5)) == 0:
        return level, "".join(draw(st.lists(keys, max_size=20)))
    program = list(level.solution)
    for _ in range(draw(st.integers(0, 4))):
        place = draw(st.integers(0, len(program)))
        slip = draw(st.sampled_from(["leave out", "add", "swap"]))
        if slip == "add":
            program.insert(place, draw(keys))
        elif slip == "swap":
            program[place : place + 2] = program[place : place + 2][::-1]
        else:
            del program[place : place + 1]
    return level, "".join(program[: max(0, len(program) - draw(st.integers(0, 8)))])
