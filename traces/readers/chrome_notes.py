"""What there is to tell about a Chrome or profiler file: what was lost, and what looks wrong."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from traces.readers.chrome_reader import NEGATIVE, NO_TIME, NOT_DRAWN, ChromeReader
from traces.readers.chrome_text import ChromeText
from traces.schema import BUSY_HOST_KINDS, HOST

CAPPED_EVENTS = 1_000_000
CAPPED_WITHIN = 0.001
"""A JAX trace with so many events has most likely lost some."""


def salvage(chrome: ChromeText) -> dict[str, Any]:
    """How many events were kept, repaired and skipped, and at which bytes the first of the
    latter two begin."""
    return {
        "kept": chrome.kept,
        "repaired": chrome.repaired,
        "skipped": chrome.damaged,
        "at_bytes": chrome.places,
    }


def damage(chrome: ChromeText, reader: ChromeReader, warnings: list[str]) -> list[str]:
    """One sentence a kind of damage; `warnings` are those of unpacking."""
    strays, unclosed = reader.nests.stray_ends, reader.nests.unclosed
    skipped = reader.skipped
    first = chrome.places[0] if chrome.places else 0
    place = f"the first at byte {first:,}, line {chrome.line_of(first):,}" if first else ""
    sentences = [
        (
            chrome.cut_off and not warnings,
            f"The file was cut off; the {chrome.kept:,} events before the cut are shown.",
        ),
        (
            chrome.damaged,
            f"{chrome.damaged:,} damaged events were skipped, {chrome.kept:,} kept; {place}.",
        ),
        (
            chrome.repaired,
            f"{chrome.repaired:,} events with invalid characters were repaired; {place}.",
        ),
        (
            chrome.documents > 1,
            f"The file holds {chrome.documents} documents one after the other; the events of all "
            "are shown.",
        ),
        (strays, f"{strays:,} end events without a beginning were skipped."),
        (unclosed, f"{unclosed:,} spans never end; they are drawn to the end of the trace."),
        (skipped[NO_TIME], f"{skipped[NO_TIME]:,} events without a usable time were skipped."),
        (
            skipped[NEGATIVE],
            f"{skipped[NEGATIVE]:,} events that end before they start were skipped; busy time is "
            "a lower bound.",
        ),
        (
            skipped[NOT_DRAWN],
            f"{skipped[NOT_DRAWN]:,} events of kinds that no timeline shows were left out.",
        ),
    ]
    return [sentence for is_so, sentence in sentences if is_so]


def lost_by_the_writer(keys: Mapping[str, Any], is_xla: bool, kept: int) -> list[str]:
    """What the program that wrote the file left out of it."""
    viztracer = keys.get("viztracer_metadata")
    told = []
    if isinstance(viztracer, dict) and viztracer.get("overflow"):
        told.append(
            "VizTracer's buffer overflowed, so the oldest events are missing; record with a larger "
            "--tracer_entries."
        )
    if is_xla and abs(kept - CAPPED_EVENTS) <= CAPPED_WITHIN * CAPPED_EVENTS:
        told.append(
            "JAX writes at most 1,000,000 events and drops the rest without a word, and this file "
            "has about so many; profile fewer steps, or set TF_PROFILER_TRACE_VIEWER_MAX_EVENTS."
        )
    return told


def shared_ids(unclear: int) -> list[str]:
    """What operations are told of that are of one of several processes, nobody knows which."""
    if not unclear:
        return []
    return [
        f"{unclear:,} operations have correlation ids that calls of several processes share, so it "
        "cannot be told who launched them; open the files of the processes side by side instead."
    ]


def overlaps(spans: pd.DataFrame) -> list[str]:
    """Whether spans of one thread overlap without nesting, which no call can do."""
    is_host = (spans["device"] == HOST) & spans["kind"].isin(BUSY_HOST_KINDS)
    host = spans.loc[is_host, ["track", "ts_ns", "dur_ns"]]
    track = pd.factorize(host["track"])[0]
    order = track.argsort(kind="stable")
    track, start = track[order], host["ts_ns"].to_numpy()[order]
    end = start + host["dur_ns"].to_numpy()[order]
    same = track[1:] == track[:-1]
    crossing = int(np.sum(same & (start[1:] < end[:-1]) & (end[1:] > end[:-1])))
    if not crossing:
        return []
    return [
        f"At least {crossing:,} spans overlap another one of their thread without lying inside it; "
        "all are shown."
    ]
