"""The narrow strips of the canvas: the whole run above the lanes, counters below them.

As `canvas_picture`, plain data: times in ns since the trace's beginning, heights as shares.
"""

from typing import Any

from lab.catalogue import t, t_or
from lab.escape import one_line
from lab.inspect.inspection import Inspection
from lab.picture.charts import LONGEST_GAPS
from lab.picture.counters import HEADROOM, Counter, counters_in
from lab.picture.gantt import Panel
from lab.units import whole_ns


def overview_strips(inspection: Inspection) -> dict[str, Any]:
    """Each device's busy share over the whole run in equal stretches, and the middles of the
    longest gaps, once these are explained."""
    origin = inspection.extent[0]
    gaps = inspection.longest_gaps(LONGEST_GAPS) if inspection.explained else []
    rows = [
        {"label": one_line(label, 10), "shares": shares}
        for label, shares in inspection.busy_shares.items()
    ]
    return {"rows": rows, "gaps": [(gap.start_ns + gap.end_ns) // 2 - origin for gap in gaps]}


def counter_strips(panel: Panel, window: tuple[int, int], origin: int) -> list[dict[str, Any]]:
    """Each counter of a run of this lab as steps over the window, as high as in the whole run."""
    counters = counters_in(panel.trace, window) if panel.counters else []
    return [_counter(counter, origin) for counter in counters]


def _counter(counter: Counter, origin: int) -> dict[str, Any]:
    top = (counter.peak or 1.0) * HEADROOM
    name = t_or(f"counter.{counter.name}", counter.name)
    return {
        "label": one_line(t("counters.name", name=name, peak=counter.text(counter.peak)), 120),
        "x": [whole_ns(ms) - origin for ms in counter.ms.tolist()],
        "y": (counter.values / top).round(4).tolist(),
    }
