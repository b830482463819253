"""Everything follows from T = C + G + F, with C = 3.65, G = 28, F = 4.78 ms in the first scene."""

worked_total_ms = 3 * (2 + 6)

C, G, F = 1.83, 2.8, 2.39
small_idle_percent = 100 * (C + F) / (C + G + F)

possible_step_ms = 28.0
faster_gpu = "grows"
larger_batch = "shrinks"
