"""Lesson 19: legal JSON again, without losing the overlap.

`launch_step` queues the device's work for one step, while the step before it still runs. Some
rows write JSON, and a grammar on the host says which tokens may come next. Five moves:

    step.launch_forward()    queue the forward pass, up to the logits
    step.settle()            wait for the steps in flight, commit their tokens, and let the
                             grammar follow them; the only move that takes long
    step.read_grammar()      note which tokens each row may choose, as far as the host knows now
    step.copy_masks()        queue the copy of what was noted; what is launched after this waits
                             for it (copies have streams of their own)
    step.launch_sampling()   queue the sampling: it reads the logits and the masks

As it stands the texts leave the grammar. `step.device` is the device, should you want it.

Check it with:  python -m lessons check 19
"""


def launch_step(step):
    """Queue one step."""
    step.read_grammar()
    step.copy_masks()
    step.launch_forward()
    step.launch_sampling()
