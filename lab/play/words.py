"""What the Play page says: of an operation, of the verdict, of a hazard. Words only, no widgets."""

from engine.checker.hazards import Hazard
from engine.play import OPERATIONS, Position
from engine.play.answers import Answer, answer
from engine.play.operations import HOST
from engine.said import Said
from engine.streams import STREAM_LAYOUTS
from lab.catalogue import t
from lab.picture.hover import edge_text, resource_text, worded
from lab.picture.palette import slot_letter

QUEUES = ("H2D", "compute", "D2H")
WAIT_KEYS = {
    ("host", "d2h_done"): "6",
    ("host", "h2d_done"): "9",
    ("host", "compute_done"): "0",
    ("h2d", "compute_done"): "7",
    ("compute", "h2d_done"): "4",
    ("compute", "d2h_done"): "8",
    ("d2h", "compute_done"): "5",
}
"""The operation by which somebody waits for an event: who, and which event."""
BY_BATCH = "wphkdg"
"""Keys whose buttons name the batch that is next."""


def answer_text(position: Position, place: int) -> str:
    """One sentence on what came of an operation."""
    said = answer(position, place)
    values = _shown(said)
    if "stream" in values:
        values["queue"] = stream_of(position, str(values["stream"]))
    return t(f"host.says_{said.says}", **values)


def _shown(said: Answer) -> dict[str, object]:
    """The values of an answer as they are read: ms, letters, words."""
    values = dict(said.values)
    start, end = values.get("start_ns", 0), values.get("end_ns", 0)
    assert isinstance(start, int) and isinstance(end, int)
    values |= {"start": short(start), "end": short(end), "ms": short(end - start)}
    if "host_ns" in values:
        values["host"] = short(int(str(values["host_ns"])))
    if "slot" in values:
        values["slot"] = slot_letter(int(str(values["slot"])))
    if "name" in values:
        values["what"] = t(f"host.what_{values['name']}", batch=values["batch"])
    if "by" in values:
        values["by"] = t("host.by", name=values["by"], batch=values["by_batch"])
    words = values.get("words")
    if isinstance(words, tuple):
        values["words"] = ", ".join(words)
    return values


def short(ns: int) -> str:
    """A time in ms as sentences give it; the picture has it to the ns."""
    return f"{ns / 1e6:.2f}"


def verdict_text(position: Position) -> str:
    """Whether the level is solved, and if not, why."""
    verdict = position.verdict
    reasons = "; ".join(reason_text(position, reason) for reason in verdict.reasons)
    return t(f"host.state_{verdict.state}", reasons=reasons)


def reason_text(position: Position, reason: str) -> str:
    """One reason for which a level is lost."""
    if reason.startswith("no hazard "):
        return t("host.reason_missing", what=reason.removeprefix("no hazard "))
    if reason.startswith("hazard "):
        return t("host.reason_hazard", what=reason.removeprefix("hazard "))
    return t(f"host.reason_{reason}", idle=f"{position.idle_percent:.1f}", waits=position.waits)


def facts_text(position: Position) -> str:
    """Where the host's clock stands, and what a level may count."""
    return t(
        "host.facts", now=short(position.now_ns), waits=position.waits,
        idle=f"{position.idle_percent:.1f}",
    )  # fmt: skip


def hazard_text(position: Position, hazard: Hazard) -> str:
    """A hazard in one sentence: the pair, the resource, the missing edge."""
    first, second = (_op_text(position, seq) for seq in hazard.ops)
    return t(
        "host.hazard", kind=hazard.kind, resource=resource_text(hazard.resource), first=first,
        second=second, edge=edge_text(hazard.missing_edge),
    )  # fmt: skip


def fix_text(position: Position, hazard: Hazard) -> str:
    """What an engine would do against a hazard, as Markdown; where the level has no button for
    that, which of its buttons make the host wait."""
    fix = hazard.fix.text
    told = f"{t('host.hazard_fix')} `{worded(fix)}`"
    allowed = position.level.allowed
    if "done" not in fix.values or _wait_key(fix) in allowed:
        return told
    waits = [name for name in OPERATIONS.values() if name.waits and name.queue == HOST]
    names = [t(f"host.do_{wait.name}") for wait in waits if wait.key in allowed]
    return f"{told} {t('host.hazard_here_waits', buttons=t('host.or').join(names))}"


def _wait_key(fix: Said) -> str:
    """The key of the wait that a fix asks for; a space where no operation is that wait."""
    event = str(fix.values["done"]).rpartition(".")[2]
    return WAIT_KEYS.get((str(fix.values.get("role", "host")), event), " ")


def _op_text(position: Position, seq: int) -> str:
    """One of the two operations of a hazard; each is about a batch."""
    op = position.log.ops[seq]
    streams = {stream.index: stream.name for stream in position.log.streams}
    if op.stream not in streams:
        return t("host.op_of_host", name=op.name, batch=op.step)
    return t("host.op", name=op.name, batch=op.step, stream=streams[op.stream])


def queue_name(position: Position, queue: str) -> str:
    """Who has the work done: the host, or copies and kernels with the stream that they use."""
    actor = t(f"host.actor_{queue}")
    if queue not in QUEUES:
        return actor
    return t("host.on_stream", actor=actor, stream=stream_of(position, queue))


def stream_of(position: Position, queue: str) -> str:
    """The stream that a level has for copies in, kernels or copies out."""
    return STREAM_LAYOUTS[position.level.mechanisms.streams][QUEUES.index(queue)]


def button_text(position: Position, key: str) -> str:
    """What an operation's button says."""
    label = t(f"host.do_{OPERATIONS[key].name}")
    if key not in BY_BATCH:
        return label
    alike = "wp" if key in "wp" else key
    count = sum(step.key in alike and not step.refused for step in position.steps)
    return f"{label} {count}" if count < len(position.batches) else label
