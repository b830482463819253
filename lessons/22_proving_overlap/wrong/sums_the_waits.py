"""All of the time that the host waits, whether the GPU works meanwhile or not."""

a_finding = "needless_wait"
a_lost_percent = 76
b_finding = "one_queue"
b_kernels_percent = 85.7
c_finding = "slow_host"
c_host_percent = 94.5
