"""Real devices against the model: cost models from traces, held-back races, PyTorch's profiler."""
