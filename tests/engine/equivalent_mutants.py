"""Mutants that nothing catches, and the order that holds all the same."""

_COMMUTES = "a stream that waits for two events waits for both, in whichever order"
_TOGGLE = "the statement it passes is a toggle's, which does nothing in a correct engine"
_APART = "the host's reading and a stream's wait for an event recorded before are independent"
_BEHIND = "stands behind the sampling kernel, which waited for `masks_done`"
_BOOKS = "the statement it passes touches the host's books alone; no device work is issued by it"
_RESULTS = (
    "the D2H stream waited for that event before it copied the batch's results, and the swap "
    "stands behind this copy"
)
_RELEASED = (
    "the host waited for `swap_done` when it released the blocks, and a request that still holds "
    "blocks does not join again"
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
    "launch_masks: `owner.masks_done.synchronize()` becomes `owner.compute_done.synchronize()`": (
        f"`compute_done` {_BEHIND}"
    ),
    "launch_masks: `owner.masks_done.synchronize()` becomes `owner.d2h_done.synchronize()`": (
        f"`d2h_done` {_BEHIND}"
    ),
    "launch_masks: `slots.host_inputs[batch.host_slot]` takes the next slot": (
        "masks are written to and copied from this place alone: the slots' host masks only change "
        "names, and each is still rewritten when the slot's owner is through with it"
    ),
    "launch_outputs: `self.finish_up_to(owner)` moved behind the statement below": _APART,
    "launch_outputs: `d2h.wait(batch.compute_done)` moved before the statement above": _APART,
    "launch_outputs: `d2h.wait(batch.compute_done)` moved behind the statement below": (
        "the statement it passes only looks a buffer up"
    ),
    "swap_out: `self.d2h.record(request.swap_done)` moved behind the statement below": _BOOKS,
    "swap_out: `self.d2h.wait(self.latest.compute_done)` removed": _RESULTS,
    "swap_out: `self.d2h.wait(self.latest.compute_done)` moved before the statement above": _BOOKS,
    "swap_out: `self.d2h.wait(self.latest.compute_done)` moved behind the statement below": (
        _RESULTS
    ),
    "swap_out: `self.d2h.wait(self.latest.compute_done)` becomes "
    "`self.d2h.wait(self.latest.h2d_done)`": _RESULTS,
    "swap_out: `self.d2h.wait(self.latest.compute_done)` becomes "
    "`self.d2h.wait(self.latest.d2h_done)`": _RESULTS,
    "swap_out: `self.d2h.wait(self.latest.compute_done)` becomes "
    "`self.h2d.wait(self.latest.compute_done)`": _RESULTS,
    "swap_in: `self.h2d.wait(request.swap_done)` removed": _RELEASED,
    "swap_in: `self.h2d.wait(request.swap_done)` becomes `self.d2h.wait(request.swap_done)`": (
        _RELEASED
    ),
    "_release: `request.swap_done.synchronize('wait swap-out')` moved before the statement above": (
        _BOOKS
    ),
    "_release: `request.swap_done.synchronize('wait swap-out')` moved behind the statement below": (
        _BOOKS
    ),
}
