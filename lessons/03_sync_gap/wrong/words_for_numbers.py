"""Units inside of the answers."""

worked_total_ms = "24 ms"
small_idle_percent = "60 %"
possible_step_ms = "28 ms"
faster_gpu = "grows"
larger_batch = "shrinks"
