"""C alone: what the host does with the results (F) is part of the gap, too."""

worked_total_ms = 24.0
small_idle_percent = 100 * 1.83 / (1.83 + 2.8)
possible_step_ms = 28.0
faster_gpu = "grows"
larger_batch = "shrinks"
