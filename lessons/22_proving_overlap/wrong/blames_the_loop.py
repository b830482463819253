"""There are gaps with host work in them, so the loop takes turns: but it does run ahead."""

a_finding = "takes_turns"
a_lost_percent = 22.6
b_finding = "one_queue"
b_kernels_percent = 85.7
c_finding = "takes_turns"
c_host_percent = 94.5
