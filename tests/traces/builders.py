"""Small traces for tests, written like a timing diagram."""

from typing import Any

from hypothesis import strategies as st

from traces.schema import KINDS, Trace

STREAMS = {"host": -1, "H2D": 0, "compute": 1, "D2H": 2}


class Diagram:
    """Collects spans and flows of an engine-like run; every method returns a position."""

    def __init__(self) -> None:
        self.spans: list[dict[str, Any]] = []
        self.flows: list[dict[str, Any]] = []

    def host(self, name: str, start: int, end: int, kind: str = "host", **more: Any) -> int:
        return self._add("host", kind, name, start, end, device=-1, **more)

    def gpu(
        self,
        track: str,
        kind: str,
        start: int,
        end: int,
        launch: int | None = None,
        after: tuple[int, ...] = (),
        **more: Any,
    ) -> int:
        name = more.pop("name", kind)
        op = self._add(track, kind, name, start, end, device=0, **more)
        if launch is not None:
            self.flow(launch, op, "launch")
        for other in after:
            self.flow(other, op, "event")
        return op

    def flow(self, src: int, dst: int, kind: str) -> None:
        self.flows.append({"src": src, "dst": dst, "kind": kind})

    def trace(self) -> Trace:
        return Trace.from_rows(self.spans, self.flows)

    def _add(self, track: str, kind: str, name: str, start: int, end: int, **more: Any) -> int:
        row = {"track": track, "kind": kind, "name": name, "ts_ns": start, "dur_ns": end - start}
        self.spans.append({"stream": STREAMS[track]} | row | more)
        return len(self.spans) - 1


def several(*times: tuple[tuple[str, int, int], ...]) -> Trace:
    """A foreign trace with a device for each row of (kernel's name, start, end)."""
    rows = [
        {
            "track": f"GPU {device}", "kind": "kernel", "name": name, "ts_ns": start,
            "dur_ns": end - start, "device": device, "stream": 7,
        }
        for device, kernels in enumerate(times)
        for name, start, end in kernels
    ]  # fmt: skip
    return Trace.from_rows(rows, meta={"format": "other"})


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(1 << 50), 1 << 50) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=4,
)
times = st.integers(-(1 << 40), 1 << 60)
ids = st.integers(-(1 << 63), (1 << 63) - 1)
words = st.text(max_size=6)


@st.composite
def traces(draw: st.DrawFn) -> Trace:
    """Any trace that the schema allows."""
    row = st.fixed_dictionaries(
        {
            "ts_ns": times,
            "dur_ns": st.integers(0, 1 << 50),
            "track": words,
            "kind": st.sampled_from(sorted(KINDS)),
            "name": words,
            "stream": ids,
            "device": st.integers(-1, 3),
            "step": ids,
            "slot": ids,
            "correlation": ids,
            "pid": words,
            "tid": words,
            "args": st.none() | st.dictionaries(words, json_values, max_size=2),
        }
    )
    spans = draw(st.lists(row, max_size=8))
    ends = st.integers(0, max(len(spans) - 1, 0))
    kinds = st.sampled_from(["launch", "event", "stream", "barrier", "other"])
    flow = st.fixed_dictionaries({"src": ends, "dst": ends, "kind": kinds})
    finite = st.floats(allow_nan=False, allow_infinity=False)
    counter = st.fixed_dictionaries({"ts_ns": times, "track": words, "name": words})
    counters = [row | {"value": draw(finite)} for row in draw(st.lists(counter, max_size=3))]
    flows = draw(st.lists(flow, max_size=4)) if spans else []
    meta = draw(st.dictionaries(words, json_values, max_size=3))
    return Trace.from_rows(spans, flows, counters, meta)
