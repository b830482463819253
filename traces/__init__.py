"""Traces: one model for engine dumps and profiler files, readers, writer, analysis.

Usable on a trace from anywhere, without torch: this package imports none of the others.
"""

from traces.activity import DeviceActivity, device_activity
from traces.chrome_writer import trace_bytes, write_trace
from traces.comparison import Comparison, compare
from traces.conversion import convert
from traces.critical_path import CriticalPath, PathSegment, find_critical_path
from traces.findings import Evidence, Finding, find_findings
from traces.gap import Gap, GapPart, gaps_by_cause
from traces.gaps import Unexplained, find_gaps, idle_stretches, wall_ns
from traces.readers.reader import open_trace, read_traces
from traces.samples import Sample, list_samples, open_sample
from traces.schema import Trace, TraceError
from traces.steps import Step, Steps, find_steps
from traces.summary import summarize
from traces.whatif import WhatIf, what_if

__all__ = [
    "Comparison",
    "CriticalPath",
    "DeviceActivity",
    "Evidence",
    "Finding",
    "Gap",
    "GapPart",
    "PathSegment",
    "Sample",
    "Step",
    "Steps",
    "Trace",
    "TraceError",
    "Unexplained",
    "WhatIf",
    "compare",
    "convert",
    "device_activity",
    "find_critical_path",
    "find_findings",
    "find_gaps",
    "find_steps",
    "gaps_by_cause",
    "idle_stretches",
    "list_samples",
    "open_sample",
    "open_trace",
    "read_traces",
    "summarize",
    "trace_bytes",
    "wall_ns",
    "what_if",
    "write_trace",
]
