"""The host's work is hidden already: that is a later lesson."""

worked_total_ms = 20
small_idle_percent = 0
possible_step_ms = 28.0
faster_gpu = "stays"
larger_batch = "stays"
