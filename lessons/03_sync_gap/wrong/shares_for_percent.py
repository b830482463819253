"""A share of 0.6 in place of 60 %."""

worked_total_ms = 24.0
small_idle_percent = 0.606
possible_step_ms = 28.0
faster_gpu = "grows"
larger_batch = "shrinks"
