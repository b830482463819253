"""What the mouse shows over a rectangle: exact times, name, step, slot, and parts of gaps.

Everything that may come from a file is escaped here.
"""

from collections.abc import Sequence

from lab.catalogue import t, t_or
from lab.escape import for_plotly
from lab.palette import slot_letter
from lab.units import exact_ms, percent, short_ms
from traces import Gap, Trace
from traces.schema import NONE

MAX_ARGS = 4
MAX_PARTS = 6


def cause_text(cause: str) -> str:
    """A gap's cause in the words of the interface."""
    return t_or(f"cause.{cause}", cause)


class Hover:
    """Writes hover texts for one trace; looks columns up once."""

    def __init__(self, trace: Trace, gaps: Sequence[Gap]) -> None:
        self._gaps = gaps
        self._columns = {name: trace.spans[name].to_numpy() for name in trace.spans}

    def names(self, span: int, is_gap: bool) -> tuple[str, ...]:
        """What to write inside a rectangle, unescaped: the fullest text first, then shorter."""
        if not is_gap:
            return (str(self._columns["name"][span]),)
        gap = self._gaps[span]
        cause = cause_text(gap.cause)
        others = len(gap.parts) - 1
        full = t("gap.more", cause=cause, count=others) if others else cause
        short = t("gap.more_short", cause=cause, count=others) if others else cause
        return f"{full} · {short_ms(gap.ns)}", full, short

    def span(self, span: int) -> str:
        """Hover text of one span."""
        column = self._columns
        start, dur = int(column["ts_ns"][span]), int(column["dur_ns"][span])
        lines = [f"<b>{for_plotly(str(column['name'][span]))}</b>", _times(start, dur)]
        lines.append(for_plotly(" · ".join(self._place(span)), 120))
        for key, value in list((column["args"][span] or {}).items())[:MAX_ARGS]:
            lines.append(for_plotly(f"{key}: {value}"))
        return "<br>".join(lines)

    def _place(self, span: int) -> list[str]:
        column = self._columns
        parts = [str(column["track"][span]), str(column["kind"][span])]
        if column["step"][span] != NONE:
            parts.append(t("hover.step", step=column["step"][span]))
        if column["slot"][span] != NONE:
            parts.append(t("hover.slot", slot=slot_letter(int(column["slot"][span]))))
        return parts

    def gap(self, number: int) -> str:
        """Hover text of one gap: where the time went, the largest part first."""
        gap = self._gaps[number]
        lines = [f"<b>{t('hover.gap', device=gap.device)}</b>", _times(gap.start_ns, gap.ns)]
        for part in gap.parts[:MAX_PARTS]:
            lines.append(f"{exact_ms(part.ns)} ms  {for_plotly(cause_text(part.cause))}")
        return "<br>".join(lines)

    def merged(self, count: int, busy: int, share: float, longest: int, is_gap: bool) -> str:
        """Hover text of a rectangle that stands for several spans."""
        name = self.names(longest, is_gap)[-1]
        dur = self._gaps[longest].ns if is_gap else int(self._columns["dur_ns"][longest])
        key = "hover.merged_gaps" if is_gap else "hover.merged"
        return "<br>".join(
            (
                f"<b>{t(key, count=f'{count:,}')}</b>",
                t("hover.busy", ms=exact_ms(busy), share=percent(share)),
                t("hover.longest", name=for_plotly(name), time=short_ms(dur)),
            )
        )


def _times(start: int, dur: int) -> str:
    return t("hover.times", start=exact_ms(start), end=exact_ms(start + dur), dur=exact_ms(dur))
