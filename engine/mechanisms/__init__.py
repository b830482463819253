"""Every mechanism that can be switched off, as data, and what a reader is told about it."""
