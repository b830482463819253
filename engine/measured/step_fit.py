"""A cost model from any trace with steps, whoever recorded it.

`fit` reads each span of the engine's own dumps; of other engines' traces only what a mean step
takes can be known (C, G, F and the copies, as `traces.whatif` finds them), and how that divides
among the engine's steps and kernels is assumed.
"""

import math
from dataclasses import replace
from statistics import fmean

from engine.device.cost import MS, CostModel
from engine.device.step_cost import CALLS, DECIMALS, MOST_MS, UNDER_KERNELS, StepTimes, cost_of
from engine.measured.fit import FitError
from traces import Trace, WhatIf, what_if
from traces.whatif import A_GUESS


def times_of(prediction: WhatIf) -> StepTimes:
    """What a mean step of a trace takes. Where host and device worked together on one step, the
    host went on launching while the device computed already: as much of that as there is room for
    in C is calls to the device, of which the last `UNDER_KERNELS` run beside it, and the rest
    comes behind them.

    Raises FitError, in one sentence, where the prediction has none or a step takes over a minute.
    """
    if prediction.cannot_tell:
        raise FitError(f"no cost model can be fitted: {prediction.cannot_tell}")

    def mean(name: str) -> float:
        return fmean(getattr(step, name) for step in prediction.parts) / MS

    prepare, share = mean("prepare_ns"), UNDER_KERNELS / CALLS
    together = min(prepare, mean("together_ns"))
    calls = min(together, (prepare - together) / (1 - share))
    times = StepTimes(
        round(prepare, 4), round(mean("compute_ns"), 4), round(mean("finish_ns"), 4),
        round(mean("copy_in_ns"), 4), round(mean("copy_out_ns"), 4),
        _floored(calls), _floored(together - calls * share),
    )  # fmt: skip
    if not 0 < times.compute <= MOST_MS or max(times.prepare, times.finish) > MOST_MS:
        raise FitError("no cost model can be fitted: a step needs kernels and at most a minute")
    return times


def _floored(ms: float) -> float:
    """To as many decimals as the text of a cost model has: parts are not to exceed the whole."""
    return math.floor(ms * 10.0**DECIMALS) / 10.0**DECIMALS


def fit_steps(trace: Trace, name: str = "fitted") -> CostModel:
    """The cost model under which a step takes as long as in this trace. Raises FitError."""
    prediction = what_if(trace)
    cost = cost_of(times_of(prediction))
    steps = f"Fitted from {len(prediction.parts)} steps found by {prediction.found_by}."
    guess = f"{A_GUESS} " if A_GUESS in prediction.assumptions else ""
    return replace(cost, name=name, about=f"{steps} {guess}{cost.about}")
