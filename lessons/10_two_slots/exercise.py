"""Lesson 10: let the slots go round.

A pipelined server keeps up to `depth` batches in flight. Each batch needs a slot: buffers for its
inputs and outputs, on the host and on the device. The order within a step is right already
(lesson 07). Two functions are left to you, and they must be right for any number of slots, also
where there are fewer slots than batches in flight.

    in_flight   the slots whose results the host has not taken yet, the oldest batch first
    take()      take the oldest batch in flight: the host waits for its results and reads them;
                then nobody needs that batch's slot any more, and it is gone from in_flight

Check it with:  python -m lessons check 10
"""


def slot_of(step, slots):
    """The slot of a step: a number from 0 to slots - 1."""
    return 0


def before_reuse(device, slot, in_flight, take):
    """Called before the host fills `slot`. Afterwards nobody may need what is in it."""


# Your answer to the timeline on the lesson's page, such as "h2d tokens 0":
too_early = ""
