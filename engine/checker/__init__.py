"""The hazard checker: what is ordered whatever the timing, what races, and what would mend it."""
