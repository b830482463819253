"""The device the engine talks to: one protocol, several implementations.

`api` holds the protocol, `recorder` what every device shares (log, buffers, host spans), `order`
what stands behind what, `allocator` which freed memory may be handed out again. `virtual` is the
simulated device with `simulator` as its clock and `cost` as its time model. `threads` is a device
of CPU threads on the wall's clock: `workers` are its streams, `acts` what they do to memory.
"""
