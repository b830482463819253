"""A request: what it asks for, its three lengths, its life, and what of its output is shown."""
