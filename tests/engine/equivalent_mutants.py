"""Mutants that nothing catches, and the order that holds all the same (or that it is open)."""

_COMMUTES = "a stream that waits for two events waits for both, in whichever order"
_TOGGLE = "the statement it passes is a toggle's, which does nothing in a correct engine"
_APART = "the host's reading and a stream's wait for an event recorded before are independent"
_BEHIND = "stands behind the sampling kernel, which waited for `masks_done`"
_MASKS = (
    "open: a batch that waits for its masks has finished all batches in flight, so the masks of "
    "the slot's owner were read; the engines tried sample no two such batches without a wait "
    "between them"
)
_RELEASE = (
    "open: it takes a swap-in to a block that a batch in flight still uses (the scenes "
    "`kv-released-at-once` and `cancel-at-once` show it); the small engines tried preempt nobody"
)

EQUIVALENT: dict[str, str] = {
    "prepare: `owner.h2d_done.synchronize()` becomes `owner.compute_done.synchronize()`": (
        "`compute_done` stands behind `h2d_done`; with as few device slots this batch's copies "
        "wait for it anyway"
    ),
    "launch_inputs: `h2d.wait(owner.compute_done)` moved behind the statement below": _TOGGLE,
    "launch_forward: `compute.wait(batch.h2d_done)` moved behind the statement below": _COMMUTES,
    "launch_forward: `compute.wait(owner.d2h_done)` moved before the statement above": _COMMUTES,
    "launch_forward: `compute.wait(owner.d2h_done)` moved behind the statement below": (
        "making kernels issues nothing to the device"
    ),
    "steer: `self.finish_all('sampling waits for the host')` moved before the statement above": (
        _TOGGLE
    ),
    "launch_masks: `owner.masks_done.synchronize()` removed": _MASKS,
    "launch_masks: `owner.masks_done.synchronize()` moved behind the statement below": _MASKS,
    "launch_masks: `owner.masks_done.synchronize()` becomes `owner.h2d_done.synchronize()`": _MASKS,
    "launch_masks: `owner.masks_done.synchronize()` becomes `owner.compute_done.synchronize()`": (
        f"`compute_done` {_BEHIND}"
    ),
    "launch_masks: `owner.masks_done.synchronize()` becomes `owner.d2h_done.synchronize()`": (
        f"`d2h_done` {_BEHIND}"
    ),
    "launch_masks: `slots.host_inputs[batch.host_slot]` takes the next slot": _MASKS,
    "launch_outputs: `self.finish_up_to(owner)` moved behind the statement below": _APART,
    "launch_outputs: `d2h.wait(batch.compute_done)` moved before the statement above": _APART,
    "launch_outputs: `d2h.wait(batch.compute_done)` moved behind the statement below": (
        "the statement it passes only looks a buffer up"
    ),
    "_may_release: blocks go back while a batch is in flight": _RELEASE,
}
