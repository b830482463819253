"""The histogram of the race explorer: in which step tokens first came out wrong."""

from collections.abc import Mapping
from typing import Any

from lab.catalogue import t
from lab.picture.figures import INK, frame
from lab.picture.palette import ALARM


def histogram(counts: Mapping[int, int], steps: int) -> dict[str, Any]:
    """Runs by the step of their first wrong token; `steps` is how far the axis reaches."""
    bars = {
        "type": "bar", "x": list(counts), "y": list(counts.values()), "name": "wrong",
        "marker": {"color": ALARM, "pattern": {"shape": "/", "solidity": 0.2}},
        "hovertemplate": "%{y}<extra></extra>",
    }  # fmt: skip
    text = {"font": {"color": INK}}
    layout = frame(
        height=240,
        margin={"l": 48, "r": 10, "t": 8, "b": 44},
        bargap=0.15,
        xaxis={
            "title": {"text": t("races.step"), **text}, "range": [-0.6, steps - 0.4],
            "tickfont": {"color": INK}, "fixedrange": True, "zeroline": False,
        },
        yaxis={
            "title": {"text": t("races.count"), **text}, "tickfont": {"color": INK},
            "fixedrange": True, "rangemode": "tozero", "gridcolor": "rgba(122, 132, 142, 0.18)",
        },
    )  # fmt: skip
    return {"data": [bars], "layout": layout}
