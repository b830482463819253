"""Worked out from a few lengths in the picture."""

a_finding = "needless_wait"
a_lost_percent = 100 * 8.6 / 36.9

b_finding = "one_queue"
b_kernels_percent = 100 * 18 / (2 + 18 + 1)

c_finding = "slow_host"
c_host_percent = 95
