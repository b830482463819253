"""What an engine is asked to do: prompts, lengths, arrivals; made, saved, read, and by name."""
