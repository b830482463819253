"""The steps of a run: found in what the trace says, never required.

What is tried, in this order: the step numbers of our own dumps, annotations that name steps,
annotations that repeat, launches of graphs, and kernels that come back in the same order.
A step lasts from its mark to the next one, so steps leave no hole between them.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from statistics import median

import pandas as pd

from traces.gaps import wall_ns
from traces.repetition import MIN_REPEATS, beginnings
from traces.schema import HOST, NONE, Trace

NOT_FOUND = "none"
ENGINE_STEPS = "engine steps"
GRAPHS = "graph launches"
PATTERN = "repeated launches"
ON_DEVICE = frozenset({ENGINE_STEPS, GRAPHS, PATTERN})

DIGITS = re.compile(r"\d+")
PROFILER_STEP = re.compile(r"ProfilerStep#")
STEP_NAME = re.compile(
    r"(?<![a-z])(?:step|iteration|iter|batch|decode|prefill|forward_step|train_step)(?![a-z])"
    r"|execute_model|execute_(?:\d+_)?context",
    re.IGNORECASE,
)
NO_STEP = re.compile(r"nccl|rccl|Optimizer\.|^(?:cu|hip)[A-Z]|^cuda[A-Z]")
"""What repeats inside a step and is no step itself."""

LAYER = re.compile(r"(?<![a-z])(?:(?:block|layer|stage)s?[\W_]?|h\.)(\d+)", re.IGNORECASE)
"""What a model calls its parts; each has its number."""
LEAST_LAYERS, MOST_RANGES = 0.8, 1.5
"""For each stretch that comes back, if that is a layer: how many different ones are named, and how
many ranges of one kind there are."""

GRAPH_LAUNCH = re.compile(r"(?:cuda|cu|hip)GraphLaunch")


@dataclass(frozen=True)
class Step:
    """One step: its mark's name and when it ran, in ns."""

    name: str
    start_ns: int
    end_ns: int

    @property
    def ns(self) -> int:
        """How long it took."""
        return self.end_ns - self.start_ns


@dataclass(frozen=True)
class Steps:
    """The steps in order of time, and `by` what they were found ("none" where there are none)."""

    by: str
    steps: tuple[Step, ...]

    @property
    def on_device(self) -> bool:
        """Whether the marks are operations of a device, and not the host's annotations."""
        return self.by in ON_DEVICE

    @property
    def is_guess(self) -> bool:
        """Whether nothing but repetition says that these are steps: they may be parts of one."""
        return self.by == PATTERN

    @property
    def count(self) -> int:
        """How many there are."""
        return len(self.steps)

    @property
    def median_ns(self) -> float:
        """The middle step's time (ns); 0 without steps."""
        return float(median(step.ns for step in self.steps)) if self.steps else 0.0

    @property
    def p99_ns(self) -> int:
        """The time that 99 of 100 steps keep within (ns, nearest rank); 0 without steps."""
        times = sorted(step.ns for step in self.steps)
        return times[-(-99 * len(times) // 100) - 1] if times else 0


def find_steps(trace: Trace) -> Steps:
    """The steps of a trace, by the first sign that shows any; none is no error."""
    for by, find in FINDERS.items():
        if steps := find(trace):
            return Steps(by, tuple(steps))
    return Steps(NOT_FOUND, ())


def _engine_steps(trace: Trace) -> list[Step]:
    """From a step's first kernel to the next step's; the last one to the end of the run."""
    kernels = trace.gpu_spans() if trace.is_engine_dump else trace.gpu_spans().iloc[:0]
    kernels = kernels[(kernels["kind"] == "kernel") & (kernels["step"] != NONE)]
    firsts = kernels.drop_duplicates("step")
    names = [f"step {step}" for step in firsts["step"].tolist()]
    return _until_the_next(names, firsts["ts_ns"].tolist(), wall_ns(trace)[1])


def _named_annotations(trace: Trace) -> list[Step]:
    for wanted in (PROFILER_STEP, STEP_NAME):

        def is_wanted(name: str, wanted: re.Pattern[str] = wanted) -> bool:
            return bool(wanted.search(name)) and not NO_STEP.search(name)

        named = _repeated_annotations(trace, is_wanted)
        longest = max(named, key=_extent, default=None)
        if longest is not None:
            return _steps_of(_uncut(longest, trace) if wanted is PROFILER_STEP else longest, trace)
    return []


def _uncut(marks: pd.DataFrame, trace: Trace) -> pd.DataFrame:
    """Without a last mark that is far too short and behind which nothing is launched: the profiler
    begins one step more than it records. What the end of the recording cut off is no step."""
    launches = trace.spans[trace.spans["kind"] == "launch"]
    is_end = not (launches["ts_ns"] >= marks["ts_ns"].iloc[-1] + marks["dur_ns"].iloc[-1]).any()
    short = 2 * marks["dur_ns"].iloc[-1] < marks["dur_ns"].iloc[:-1].median()
    return marks.iloc[:-1] if is_end and short else marks


def _other_annotations(trace: Trace) -> list[Step]:
    """The longest-lasting annotation that comes back, over at least half of the run."""
    work = trace.gpu_spans()
    needed = (work["ts_ns"] + work["dur_ns"]).max() - work["ts_ns"].min() if len(work) else 0
    repeated = _repeated_annotations(
        trace, lambda name: not LAYER.search(name) and not NO_STEP.search(name), MIN_REPEATS
    )
    found = [rows for rows in repeated if 2 * _extent(rows) >= needed]
    return _steps_of(max(found, key=lambda rows: rows["dur_ns"].sum()), trace) if found else []


def _repeated_annotations(
    trace: Trace, is_wanted: Callable[[str], bool], least: int = 1
) -> Iterator[pd.DataFrame]:
    """The host's annotations of wanted names, those of one thread that differ in numbers alone
    together, `least` of them or more. The profiler's own steps are among them whatever it filed
    them under: old ones say operator."""
    spans = trace.spans
    marks = (spans["kind"] == "annotation") | spans["name"].str.match(PROFILER_STEP)
    notes = spans[marks & (spans["device"] == HOST) & (spans["dur_ns"] > 0)]
    notes = notes[notes["name"].map(is_wanted).astype(bool)]
    words = notes["name"].map(lambda name: DIGITS.sub("#", name))
    often = notes.groupby([notes["track"], words], observed=True)["ts_ns"].transform("size")
    notes = notes[often >= least]  # first: a trace may have a name for each of many spans
    for _, rows in notes.groupby([notes["track"], words], sort=False, observed=True):
        ends = (rows["ts_ns"] + rows["dur_ns"]).cummax().shift(fill_value=rows["ts_ns"].min())
        outer = rows[rows["ts_ns"] >= ends]  # one inside another of its kind begins no step
        if len(outer) >= least:
            yield outer


def _extent(rows: pd.DataFrame) -> int:
    return int((rows["ts_ns"] + rows["dur_ns"]).max() - rows["ts_ns"].min())


def _steps_of(notes: pd.DataFrame, trace: Trace) -> list[Step]:
    """The last step ends with its annotation, or, where that is but a part of a step, with the
    run."""
    starts = notes["ts_ns"].tolist()
    end = int(starts[-1] + notes["dur_ns"].iloc[-1])
    if 2 * int(notes["dur_ns"].sum()) < end - starts[0]:
        end = max(end, wall_ns(trace)[1])
    return _until_the_next(notes["name"].tolist(), starts, end)


def _graph_launches(trace: Trace) -> list[Step]:
    """A step's graphs begin with one of a size that comes but once a step; where all have one
    size, each is a step."""
    spans = trace.spans
    launches = spans[(spans["kind"] == "launch") & spans["name"].str.match(GRAPH_LAUNCH)]
    flows = trace.flows[trace.flows["src"].isin(launches.index)]
    if flows.empty:
        return []
    ops = spans.loc[flows["dst"], ["ts_ns", "dur_ns"]].reset_index(drop=True)
    graphs = ops.groupby(flows["src"].to_numpy())["ts_ns"].agg(["min", "size"]).sort_values("min")
    found = beginnings(graphs["size"].tolist())
    first = graphs.iloc[found] if len(found) else graphs
    names = spans.loc[first.index, "name"].tolist()
    return _until_the_next(names, first["min"].tolist(), int((ops["ts_ns"] + ops["dur_ns"]).max()))


def _launch_pattern(trace: Trace) -> list[Step]:
    """The kernels of the busiest stream, where they come back in the same order, unless once a
    layer."""
    kernels = trace.gpu_spans()
    kernels = kernels[kernels["kind"] == "kernel"]
    if kernels.empty:
        return []
    _, stream = max(kernels.groupby(["device", "stream"]), key=lambda item: len(item[1]))
    found = beginnings(stream["name"].tolist())
    first = stream.iloc[found]
    if _are_layers(first, trace):
        return []
    end = int((stream["ts_ns"] + stream["dur_ns"]).max())
    return _until_the_next(first["name"].tolist(), first["ts_ns"].tolist(), end)


def _are_layers(first: pd.DataFrame, trace: Trace) -> bool:
    """Whether what begins with these operations are the layers of one step: all along, a thread
    has about as many ranges that are named after layers, and nearly each after one of its own. A
    step has all its layers."""
    spans = trace.spans
    is_named = spans["name"].map(lambda name: LAYER.search(name) is not None).astype(bool)
    named = spans[is_named & (spans["device"] == HOST)]
    words = named["name"].map(lambda name: DIGITS.sub("#", name))
    length, count = first["ts_ns"].max() - first["ts_ns"].min(), len(first)
    for _, rows in named.groupby([named["track"], words], sort=False, observed=True):
        layers = rows["name"].str.extract(LAYER, expand=False).nunique()
        is_one_each = layers >= LEAST_LAYERS * count and len(rows) < MOST_RANGES * count
        if is_one_each and 2 * _extent(rows) >= length:
            return True
    return False


FINDERS: dict[str, Callable[[Trace], list[Step]]] = {
    ENGINE_STEPS: _engine_steps,
    "annotations that name steps": _named_annotations,
    "repeated annotations": _other_annotations,
    GRAPHS: _graph_launches,
    PATTERN: _launch_pattern,
}


def _until_the_next(names: list[str], starts: list[int], end_ns: int) -> list[Step]:
    return [
        Step(*step) for step in zip(names, starts, [*starts[1:], end_ns][: len(names)], strict=True)
    ]
