"""The Stepper and Races pages: one instant of a run, forks of it, and races under many timings."""
