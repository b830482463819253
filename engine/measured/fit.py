"""A cost model from a measured run: what each piece of work took, and what stood in between.

The rules of the modelled clock are turned around. The host's time belongs to the span that is open,
or was open last; waits belong to nobody. An operation counts from the instant at which nothing held
it back any more (it was issued, its stream and its copy engine were free, what it waited for was
done): so it holds the time a real machine takes to start it, and the results' copy that to wake the
host. Of every figure the mean over the run's steps is taken: means add up to the run.

What this module does not do: tell prefill from decode, or fit how work grows with rows and tokens.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable
from statistics import fmean

from engine.config import ConfigError, described
from engine.device.cost import HOST_EXTRA, HOST_STEPS, KERNEL_FAMILIES, CostModel
from engine.slots import INPUTS
from engine.workloads.presets import WORKLOADS
from traces import Trace
from traces.schema import HOST, NONE
from traces.self_time import self_time

H2D = frozenset(f"h2d {label}" for label in INPUTS)
D2H = frozenset(("d2h out", "d2h logits", "d2h sampled"))
"""The copies that each batch makes; others (blocks of keys and values) have costs of their own."""

Times = dict[str, dict[int, int]]
"""Times (ns) by name and step."""


class FitError(ValueError):
    """A trace from which no cost model can be fitted; the message is one sentence."""


def fit_cost(trace: Trace, name: str = "fitted") -> CostModel:
    """The cost model under which the modelled clock shows what this trace shows.

    Raises FitError where the trace holds no steps of the engine's loop, or says of its run what
    cannot be.
    """
    host, device = host_times(trace), device_times(trace)
    if not (host[HOST_STEPS[0]] and any(device[family] for family in KERNEL_FAMILIES)):
        raise FitError(
            "no steps of the engine's loop are in this trace: make one with "
            "`python -m engine run --device threads --mode sync --out FILE.json.gz`"
        )
    try:
        run = described(trace.meta)
    except ConfigError as error:
        raise FitError(str(error)) from None
    workload = run.get("workload")
    calls = calls_of(trace)
    launch = [ns // calls[step] for step, ns in host.pop("launch", {}).items() if calls[step]]
    return CostModel(
        name=name,
        about=f"Fitted from a run of {run.get('mode', 'the engine')} on "
        f"{run.get('device', 'a device')}, {len(host[HOST_STEPS[0]])} steps.",
        workload=workload if workload in WORKLOADS else CostModel.workload,
        host_ns={n: _mean(host[n]) for n in (*HOST_STEPS, *HOST_EXTRA) if host.get(n)},
        kernel_ns={f: _mean(device[f]) for f in KERNEL_FAMILIES if device[f]},
        h2d_ns=_mean(device["h2d"]),
        d2h_ns=_mean(device["d2h"]),
        launch_ns=round(fmean(launch)) if launch else 0,
        alloc_ns=_mean(host.get("cold allocation", {})),
    )


def _mean(by_step: dict[int, int]) -> int:
    """The mean over the steps (ns)."""
    return round(fmean(by_step.values())) if by_step else 0


def host_times(trace: Trace) -> Times:
    """What the host worked on, by the span that was open or was open last."""
    spans = trace.spans
    host = spans[(spans["device"] == HOST) & spans["kind"].isin(["host", "sync"])]
    times: Times = defaultdict(lambda: defaultdict(int))
    if host.empty:
        return times
    timeline = self_time(host)
    start, end = int(host["ts_ns"].iloc[0]), int((host["ts_ns"] + host["dur_ns"]).max())
    about = host[["kind", "name", "step"]].to_dict("index")
    last = host.index[0]
    for segment in timeline.between(start, end):
        last = last if segment.span_id == NONE else segment.span_id
        if about[last]["kind"] == "host":
            times[about[last]["name"]][about[last]["step"]] += segment.end_ns - segment.start_ns
    return times


def calls_of(trace: Trace) -> Counter[int]:
    """How many launches and copies the host called, by step."""
    return Counter(trace.spans["step"][trace.spans["kind"] == "launch"].tolist())


def device_times(trace: Trace) -> Times:
    """What the device worked on, by kernel family, and by "h2d" and "d2h"."""
    starts = trace.spans["ts_ns"].tolist()
    ends = (trace.spans["ts_ns"] + trace.spans["dur_ns"]).tolist()
    held_by: dict[int, list[int]] = defaultdict(list)
    for source, target in zip(trace.flows["src"], trace.flows["dst"], strict=True):
        held_by[target].append(source)
    ops = trace.gpu_spans()
    columns = [ops[name].tolist() for name in ("stream", "step", "kind", "name")]
    free: dict[int | str, int] = {}  # streams, and copy engines: one a direction
    times: Times = defaultdict(lambda: defaultdict(int))
    for op, stream, step, kind, name in zip(ops.index.tolist(), *columns, strict=True):
        needs = (stream,) if kind == "kernel" else (stream, kind)
        ready = max(*(free.get(it, 0) for it in needs), *(ends[at] for at in held_by[op]), 0)
        free |= {it: max(free.get(it, 0), ends[op]) for it in needs}
        took, line = ends[op] - min(ready, starts[op]), _line_of(kind, name)
        if line == "d2h":  # one a batch: what the host copies beside it bears the same name
            times[line][step] = took
        elif line:
            times[line][step] += took
    for step, late in _wake_ups(trace, times["d2h"]).items():
        times["d2h"][step] += late
    return times


def _line_of(kind: str, name: str) -> str:
    """The cost model's line for an operation; empty where it has none of its own."""
    if kind == "kernel":
        family = name.split()[0]
        return family if family in KERNEL_FAMILIES else ""
    return kind if name in H2D or name in D2H else ""


def _wake_ups(trace: Trace, steps: Iterable[int]) -> dict[int, int]:
    """How late the host came back from its wait for each step's results, where it waited (ns)."""
    spans = trace.spans
    waits = spans[(spans["kind"] == "sync") & (spans["name"] == "wait d2h_done")]
    copies = spans[(spans["kind"] == "d2h") & spans["name"].isin(D2H)]
    begun = dict(zip(waits["step"], waits["ts_ns"], strict=True))
    over = dict(zip(waits["step"], waits["ts_ns"] + waits["dur_ns"], strict=True))
    there = dict(zip(copies["step"], copies["ts_ns"] + copies["dur_ns"], strict=True))
    return {
        step: over[step] - there[step]
        for step in steps
        if step in over and begun[step] < there[step] < over[step]
    }
