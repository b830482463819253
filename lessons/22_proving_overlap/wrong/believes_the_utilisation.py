"""The device of dump-b is busy 100 % of the time, so nothing can be wrong with it."""

a_finding = "needless_wait"
a_lost_percent = 22.6
b_finding = "nothing"
b_kernels_percent = 100
c_finding = "slow_host"
c_host_percent = 94.5
