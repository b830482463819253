"""Read off the timelines, and off `python -m traces inspect`."""

a_finding = "needless_wait"
a_lost_percent = 22.6
b_finding = "one_queue"
b_kernels_percent = 85.7
c_finding = "slow_host"
c_host_percent = 94.5
