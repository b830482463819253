"""The page Play the host: a level, its buttons, the program and what became of it."""
