"""Lesson 22: diagnose three dumps.

Beside this file lie dump-a.json.gz, dump-b.json.gz and dump-c.json.gz: three engines, recorded.
Open each on the Inspect page, in Perfetto, or read it here:

    python -m traces inspect dump-a.json.gz

What is wrong with each, if anything?

    "takes_turns"    no wait is needless: the next step is just not prepared before this one is over
    "needless_wait"  the host waits where it needs nothing yet, and so it prepares too late
    "one_queue"      copies and kernels stand in one queue
    "slow_host"      nobody waits needlessly: the host's own work takes longer than the GPU's
    "nothing"        the GPU is the limit

Fill in your answers, or answer on the lesson's page. Check them with:

    python -m lessons check 22
"""

# dump-a: what keeps the GPU from being busy all the time? Two points.
a_finding = None

# ... and how much of the run does that cost, in percent?
a_lost_percent = None

# dump-b: what keeps the kernels from following each other at once? Two points.
b_finding = None

# ... for how much of the time do kernels run, from the device's first operation to its last, in %?
b_kernels_percent = None

# dump-c: what keeps the GPU from being busy all the time? Two points.
c_finding = None

# ... what share of the critical path lies on the host, in percent?
c_host_percent = None
