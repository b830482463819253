"""What the stepper shows of who does what: the loop's source, streams, batches, requests, slots.

Plain functions from a snapshot to HTML.
"""

from collections.abc import Sequence

from engine.oplog import NONE, Op, OpKind
from engine.recording.batch_times import POINTS, BatchTimes
from engine.recording.history import RequestState
from engine.recording.host_place import Place, source
from engine.recording.instant import EventState, StreamState
from engine.recording.recording import Snapshot
from lab.catalogue import t
from lab.escape import for_html
from lab.picture.hover import cause_text
from lab.picture.lanes import own_name
from lab.picture.palette import slot_letter
from lab.stepper.html import chip, table
from lab.units import exact_ms

AROUND = 9
"""Lines of the loop shown above and below the host's own."""

MOST_QUEUED = 12
EVENTS = ("h2d_done", "compute_done", "d2h_done")


def loop_html(host: Place) -> str:
    """The loop's source around the line on which the host stands."""
    if host.line == NONE:
        return ""
    lines = source()
    first = max(1, min(host.line - AROUND, len(lines) - 2 * AROUND))
    shown = range(first, min(first + 2 * AROUND, len(lines)) + 1)
    text = "".join(_line(number, lines[number - 1], host.line) for number in shown)
    return f'<pre class="source">{text}</pre>'


def _line(number: int, text: str, here: int) -> str:
    mark, look = ("▶", ' class="here"') if number == here else (" ", "")
    return f"<span{look}>{mark}{number:4d}  {for_html(text)}</span>"


def host_text(host: Place) -> str:
    """What the host does, in words."""
    if host.doing == "over":
        return t("stepper.host_over")
    batch = "" if host.step == NONE else t("stepper.of_batch", step=host.step)
    line = "" if host.line == NONE else t("stepper.at_line", line=host.line)
    return t(f"stepper.host_{host.doing}", name=cause_text(host.name) + batch) + line


def streams_html(streams: Sequence[StreamState], at_ns: int) -> str:
    """Each stream with what runs on it and what waits, first in line first."""
    queues = "".join(
        f"<b>{for_html(own_name(stream.name))}</b>"
        f'<div class="chips">{_queue(stream, at_ns) or chip(t("stepper.empty"), "mark")}</div>'
        for stream in streams
    )
    return f'<div class="queues">{queues}</div>'


def _queue(stream: StreamState, at_ns: int) -> str:
    chips = [
        _entry(op, place < stream.running, at_ns)
        for place, op in enumerate(stream.queue[:MOST_QUEUED])
    ]
    more = len(stream.queue) - MOST_QUEUED
    return "".join(chips) + (chip(t("stepper.more", count=more), "mark") if more > 0 else "")


def _entry(op: Op, runs: bool, at_ns: int) -> str:
    name = op.name if op.step == NONE else t("stepper.op", name=op.name, step=op.step)
    title = t("stepper.op_title", call=exact_ms(op.call_ns), line=op.line)
    if op.kind is OpKind.RECORD:
        return chip(t("stepper.record", name=name), "mark", title)
    if op.kind is OpKind.WAIT:
        return chip(t("stepper.wait", name=name), "mark", title)
    if runs:
        share = (at_ns - op.start_ns) / max(1, op.end_ns - op.start_ns)
        return chip(t("stepper.runs", name=name, percent=f"{100 * share:.0f}"), "runs", title)
    return chip(name, "", title)


def batches_html(snapshot: Snapshot) -> str:
    """Points of completion and events, a row for each batch that is not over."""
    heads = [t("stepper.batch"), *(t(f"stepper.{point}") for point in POINTS), t("stepper.read")]
    rows = [_batch(batch, snapshot) for batch in snapshot.batches]
    return table(t("stepper.batches"), [*heads, *EVENTS], rows)


def _batch(batch: BatchTimes, snapshot: Snapshot) -> list[str]:
    times = (batch.returned, batch.ready, batch.computed, batch.copied, batch.read)
    passed = (*batch.passed(snapshot.at_ns), NONE < batch.read <= snapshot.at_ns)
    slot = slot_letter(max(0, batch.device_slot))
    return [
        t("stepper.batch_in", step=batch.step, slot=slot),
        *(f"✓ {exact_ms(ns)}" if done else "–" for ns, done in zip(times, passed, strict=True)),
        *(_event(snapshot.events, name, batch.step) for name in EVENTS),
    ]


def _event(events: Sequence[EventState], name: str, step: int) -> str:
    found = [event for event in events if event.name == name and event.step == step]
    if not found:
        return t("stepper.not_recorded")
    return t("stepper.set") if found[-1].is_set else t("stepper.recorded")


def slots_html(snapshot: Snapshot) -> str:
    """Whose each slot is, and who fills it."""
    rows = [
        [
            t(f"stepper.{slot.side}"), slot_letter(slot.slot),
            _number(slot.owner), _number(slot.filling),
        ]
        for slot in snapshot.slots
    ]  # fmt: skip
    heads = [t(f"stepper.{name}") for name in ("side", "slot", "owner", "filling")]
    return table(t("stepper.slots"), heads, rows)


def _number(step: int) -> str:
    return "–" if step == NONE else str(step)


def requests_html(requests: Sequence[RequestState]) -> str:
    """The three lengths of every request that has begun, and where it is."""
    names = (
        "request", "stage", "prefilled", "scheduled", "computed_tokens", "committed", "streamed",
        "in_flight", "blocks",
    )  # fmt: skip
    rows = [
        [
            r.id, t(f"stepper.stage_{r.stage}"), f"{r.prefilled} / {r.prompt}",
            str(r.scheduled), str(r.computed), str(r.committed), str(r.streamed),
            str(r.in_flight), " ".join(map(str, r.blocks)) or "–",
        ]
        for r in requests
    ]  # fmt: skip
    return table("", [t(f"stepper.{name}") for name in names], rows)
