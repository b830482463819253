"""Lesson 17: choose how many batches may be in flight.

`measure(depth)` runs the engine with 1 to 6 batches in flight (and as many slots), and returns

    tokens_per_s       output tokens a second, over all requests
    tokens_in_flight   the most tokens that were launched and not settled at one time
    cancel_ms          how long a cancelled request keeps its memory, in the mean

`limits.tokens_in_flight` and `limits.cancel_ms` must not be exceeded. Your function is asked for
three workloads, and for one of them a second time, with clients who want their cancels sooner:

    steady       host work a third of the device's, every step alike
    uneven       host work nearly as long as the device's, both 60 % up and down
    through_host every token passes through the host before the next batch can be built

Choose the least depth that comes within 2 % of the best throughput to be had within the limits.
Check it with:  python -m lessons check 17
"""


def choose_depth(measure, limits):
    """The number of batches in flight, 1 to 6."""
    return 6
