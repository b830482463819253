"""The device the engine talks to: one protocol, several implementations.

`api` holds the protocol and what every device shares (log, buffers, host spans);
`virtual` is the simulated device with `simulator` as its clock and `cost` as its
time model; `allocator` decides which freed memory may be handed out again.
"""
