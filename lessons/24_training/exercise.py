"""Lesson 24: what may overlap with training step t? Ten tasks.

    "ahead"    it may run while step t still runs: it needs none of that step's gradients
    "own"      as soon as its own layer's gradients are there, under the rest of the backward pass
    "all"      only once all gradients of step t are there
    "updated"  only behind the update of step t

Step t is: forward pass, backward pass, gradients reduced over all ranks, clipped, and applied.
Fill in your answers, or answer on the lesson's page. Check them with:

    python -m lessons check 24
"""

# Reading, decoding and tokenising batch t+1.
load = None

# Copying batch t+1 into the second input slot of the device.
copy = None

# Reading the loss of step t for the log.
loss = None

# Working out the learning rate of step t+1 from the schedule.
schedule = None

# Copying the parameters that step t computes with to the host, for a checkpoint.
checkpoint = None

# Reducing the gradients of the last layer over all ranks.
reduce_last = None

# Clipping the gradients to a largest norm.
clip = None

# The optimizer's update with the clipped gradients.
update = None

# The forward pass of batch t+1.
forward = None

# Gathering the first layer's sharded parameters from all ranks for the forward pass of batch t+1.
gather = None
