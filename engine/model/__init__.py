"""The decoder: its kernels, weights and tokenizer, how it samples, and the texts it learns from."""
