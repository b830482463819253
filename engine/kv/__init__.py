"""The paged KV cache: its blocks, prefixes found again, room made by preemption and swap."""
