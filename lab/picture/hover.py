"""What is told of a rectangle: exact times, name, step, slot, and parts of gaps.

Lines of plain text, the first of them a heading; what may come from a file has no control
characters and is cut. `for_hover` makes the small HTML of them that Plotly shows.
"""

from collections.abc import Sequence
from functools import cache, partial

from engine.said import PATTERNS, Said
from lab.catalogue import t, t_or, template
from lab.escape import for_plotly, one_line
from lab.picture.lanes import track_name
from lab.picture.palette import slot_letter
from lab.sentences import in_language
from lab.units import exact_ms, percent, short_ms
from traces import Gap, Trace
from traces.schema import NONE

MAX_ARGS = 4
MAX_PARTS = 6
LONGEST_LINE = 120
TEXTS = (
    "hover.merged", "hover.merged_gaps", "hover.busy", "hover.longest", "hover.times",
    "hover.step", "hover.slot",
)  # fmt: skip
"""Keys of what is said of every span; looked up once a picture."""

WORDED = (
    "cause", "race", "resource", "side", "stream", "verb", "actor", "act", "thing", "kind",
)  # fmt: skip
"""Values of sentences that are words themselves."""

WAIT = "wait "
"""How this engine's waits for an event begin."""

LAUNCH, LAUNCH_CALLS = "launch ", "launch calls"
"""How this engine's launches of one operation begin, and what a profiler's calls are called."""

Lines = list[str]


def cause_text(cause: str) -> str:
    """A gap's cause in the words of the interface."""
    what = cause.removeprefix(LAUNCH)
    if what == cause or cause == LAUNCH_CALLS:
        return t_or(f"cause.{cause}", cause)
    return f"{t_or('cause.launch', LAUNCH.strip())} {in_language(what)}"


def span_text(name: str, kind: str, own: bool) -> str:
    """What a span is called. The host's own work, its waits and launches (`own`: of a run of this
    lab) are words; operations, and other programs' calls, are called as in their code."""
    if not own or kind not in ("host", "sync", "launch"):
        return name
    waited = name.removeprefix(WAIT)
    return t("hover.wait", event=waited) if waited != name else cause_text(name)


def resource_text(resource: str) -> str:
    """A kind of memory in the words of the interface."""
    return t_or(f"resource.{resource}", resource)


def kind_text(kind: str) -> str:
    """A kind of span in the words of the interface."""
    return t_or(f"kind.{kind}", kind)


def edge_text(edge: str) -> str:
    """An edge of the order, whose arrow the engine and answers in files write with two letters."""
    return edge.replace("->", "→")


def worded(sentence: str) -> str:
    """A sentence of the engine in the words of the interface, where it says what it is made of."""
    if not isinstance(sentence, Said):
        return sentence
    words = {
        name: t_or(f"{name}.{value}", value) if name in WORDED else worded(value)
        for name, value in sentence.values.items()
    }
    if graph := words.get("graph"):
        words["graph"] = in_language(graph)
    return t_or(f"said.{sentence.code}", PATTERNS[sentence.code]).format(**words)


def for_hover(lines: Lines) -> str:
    """The lines as Plotly's hover shows them."""
    head, *others = (for_plotly(line, LONGEST_LINE) for line in lines)
    return "<br>".join([f"<b>{head}</b>", *others])


class Hover:
    """Writes what is told of the spans and gaps of one trace; looks columns up once."""

    def __init__(self, trace: Trace, gaps: Sequence[Gap]) -> None:
        self._gaps = gaps
        # arrays as they are: as a numpy array the column of args would decode all of them
        self._columns = {name: trace.spans[name].array for name in trace.spans}
        self._cause = cache(cause_text)
        self._text = cache(span_text)
        self._own = trace.is_engine_dump
        self._track = cache(partial(track_name, trace))
        self._texts = {key: template(key) for key in TEXTS}

    def names(self, span: int, is_gap: bool) -> tuple[str, ...]:
        """What to write inside a rectangle, unescaped: the fullest text first, then shorter."""
        if not is_gap:
            return (self._name(span),)
        gap = self._gaps[span]
        cause = self._cause(gap.cause)
        others = len(gap.parts) - 1
        full = t("gap.more", cause=cause, count=others) if others else cause
        short = t("gap.more_short", cause=cause, count=others) if others else cause
        return tuple(dict.fromkeys((f"{full} · {short_ms(gap.ns)}", full, short, cause)))

    def bar(self, count: int, busy: int, share: float, longest: int, is_gap: bool) -> Lines:
        """What is told of a rectangle that stands for `count` spans or gaps, busy for `busy` ns
        (a share 0 to 1 of it), `longest` the longest of them."""
        if count > 1:
            return self._merged(count, busy, share, longest, is_gap)
        return self._gap(longest) if is_gap else self._span(longest)

    def _name(self, span: int) -> str:
        return self._text(str(self._columns["name"][span]), self._columns["kind"][span], self._own)

    def _span(self, span: int) -> Lines:
        column = self._columns
        start, dur = int(column["ts_ns"][span]), int(column["dur_ns"][span])
        lines = [self._name(span), self._times(start, dur), " · ".join(self._place(span))]
        for key, value in list((column["args"][span] or {}).items())[:MAX_ARGS]:
            lines.append(f"{key}: {self._arg(key, value)}")
        return [one_line(line, LONGEST_LINE) for line in lines]

    def _place(self, span: int) -> list[str]:
        column = self._columns
        parts = [self._track(str(column["track"][span])), kind_text(str(column["kind"][span]))]
        if column["step"][span] != NONE:
            parts.append(self._texts["hover.step"].format(step=column["step"][span]))
        if column["slot"][span] != NONE:
            letter = slot_letter(int(column["slot"][span]))
            parts.append(self._texts["hover.slot"].format(slot=letter))
        return parts

    def _gap(self, number: int) -> Lines:
        """Where the time of a gap went, the largest part first."""
        gap = self._gaps[number]
        lines = [t("hover.gap", device=gap.device), self._times(gap.start_ns, gap.ns)]
        for part in gap.parts[:MAX_PARTS]:
            lines.append(f"{exact_ms(part.ns)} ms  {self._cause(part.cause)}")
        return [one_line(line, LONGEST_LINE) for line in lines]

    def _merged(self, count: int, busy: int, share: float, longest: int, is_gap: bool) -> Lines:
        name = self.names(longest, is_gap)[-1]
        dur = self._gaps[longest].ns if is_gap else int(self._columns["dur_ns"][longest])
        texts = self._texts
        return [
            texts["hover.merged_gaps" if is_gap else "hover.merged"].format(count=f"{count:,}"),
            texts["hover.busy"].format(ms=exact_ms(busy), share=percent(share)),
            texts["hover.longest"].format(name=one_line(name), time=short_ms(dur)),
        ]

    def _arg(self, key: str, value: object) -> object:
        """An argument of a span; of this engine's, some are words."""
        if not self._own or key not in ("cause", "graph"):
            return value
        return self._cause(str(value)) if key == "cause" else in_language(str(value))

    def _times(self, start: int, dur: int) -> str:
        ends = {"start": exact_ms(start), "end": exact_ms(start + dur), "dur": exact_ms(dur)}
        return self._texts["hover.times"].format(**ends)
