"""The table of docs/reuse-edges.md, cell by cell: is an edge needed, or implied?"""

from pathlib import Path

import pytest

from engine import configure, execute

DOCUMENT = Path(__file__).parents[2] / "docs" / "reuse-edges.md"
MISSING = {
    "reuse_host_input": ("WAR", "host inputs", "h2d_done -> host write"),
    "reuse_device_input": ("WAR", "device inputs", "compute_done -> h2d"),
    "reuse_device_output": ("WAR", "device outputs", "d2h_done -> compute"),
    "reuse_host_output": ("WAR", "host outputs", "host read -> d2h"),
}
"""What the checker must name where an edge is needed."""


def table():
    """(depth, slots) -> {edge: "needed" or "implied"}, as the document has it."""
    lines = DOCUMENT.read_text(encoding="utf-8").splitlines()
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    header = next(row for row in rows if row[:2] == ["depth", "slots"])
    edges = [cell.strip("`") for cell in header[2:-1]]
    return {
        (int(depth), int(slots)): dict(zip(edges, verdicts, strict=True))
        for depth, slots, *verdicts, _ in (row for row in rows if row[0].isdigit())
    }


CELLS = [
    (depth, slots, edge, verdict)
    for (depth, slots), row in table().items()
    for edge, verdict in row.items()
]


def hazards(depth, slots, **off):
    size = {"depth": str(depth), "device_slots": str(slots), "host_slots": str(slots)}
    config = configure("async", set={**size, **off}, compute=False, requests=12, steps=24)
    return {(h.kind, h.resource, h.missing_edge) for h in execute(config).hazards}


def test_the_table_is_complete():
    grid = [(depth, slots) for depth in range(1, 5) for slots in range(1, 5)]
    assert list(table()) == grid
    assert all(list(row) == list(MISSING) for row in table().values())
    assert {verdict for *_, verdict in CELLS} == {"needed", "implied"}


@pytest.mark.parametrize(("depth", "slots", "edge", "verdict"), CELLS)
def test_an_edge_is_needed_or_implied_as_the_table_says(depth, slots, edge, verdict):
    expected = {MISSING[edge]} if verdict == "needed" else set()
    assert hazards(depth, slots, **{edge: "off"}) == expected


@pytest.mark.parametrize(("depth", "slots"), table())
def test_with_all_edges_on_there_is_no_hazard(depth, slots):
    assert hazards(depth, slots) == set()


def test_the_rule_is_slots_against_depth():
    for (depth, slots), row in table().items():
        assert set(row.values()) == {"needed" if slots < depth else "implied"}
