"""Numbers read off the pictures."""

worked_total_ms = 24
small_idle_percent = 60.6
possible_step_ms = 28.0
faster_gpu = "grows"
larger_batch = "shrinks"
