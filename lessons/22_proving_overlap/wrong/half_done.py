"""The third dump is left open."""

a_finding = "needless_wait"
a_lost_percent = 22.6
b_finding = "one_queue"
b_kernels_percent = 85.7
