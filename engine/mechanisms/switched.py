"""What is switched in a run, and what came of it: one row for each toggle off its usual value.

A fault often shows far from its cause, and some faults race with nothing: wrong tokens alone
do not say which switch made them. This module puts the switch beside what the run shows, in
words, for the pages and the command line. What it cannot know: which of several switches
together made a fault. Then each row claims what the table says the toggle can cause, and what
no row claims is told on its own.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from engine.execution import Run, baseline
from engine.mechanisms.table import BY_NAME
from engine.mechanisms.words import RACES, in_words, letters_in, protects_of, wrong_of
from engine.modes.table import MODES
from engine.results.verdict import own_gaps, peaks_over_bound
from engine.said import Said

TIMER_POINTS = 0.1
"""From this share on, the engine's own timer counts as wrong."""

NOTHING = Said("nothing")

CHOICES = {
    "depth": ("1", "3", "4"),
    "loop": ("ready-queue",),
    "device_slots": ("3", "4"),
    "host_slots": ("3", "4"),
    "carry": ("add",),
    "graphs": ("shared",),
    "eos_policy": ("mask", "cap"),
    "output_memory": ("temporary",),
    "on_fault": ("retry",),
}
"""Values beside the usual one that are no fault: the synchronous loop is a mode of its own."""

_ONLY_WHERE = re.compile(r"where (host|device) slots < depth")
"""How the table says that a toggle matters only with fewer slots than batches in flight."""

IN_ANY_ORDER = "T in any order"
"""How the table says that a toggle makes wrong tokens without a race, too."""


@dataclass(frozen=True)
class Seen:
    """Something a run shows. `letter` is its verdict, "" for a figure that none judges; `about`
    tells hazards (kind and resource) and gaps (cause) apart; `share` of the run is a gap's."""

    letter: str
    text: str
    about: str = ""
    share: float = 0.0


@dataclass(frozen=True)
class Switched:
    """A toggle off its right value: what the right one protects, what the table says is seen
    when it is wrong ("" if nothing), and what this run shows of that. `alone`: no other toggle is
    off; `scene`: the mode that shows this one ("" where there is none, or it is the run's own)."""

    name: str
    value: str
    correct: str
    protects: str
    when_wrong: str
    seen: tuple[str, ...]
    nothing: str = NOTHING
    alone: bool = True
    scene: str = ""
    is_choice: bool = False

    @property
    def setting(self) -> str:
        """The toggle as it is: "carry = none"."""
        return f"{self.name} = {self.value}"

    @property
    def put_back(self) -> str:
        """The setting that undoes it: "carry = select"."""
        return f"{self.name} = {self.correct}"

    @property
    def seen_text(self) -> str:
        """What this run shows, as the end of a sentence."""
        return "; ".join(self.seen) or self.nothing


def switched(result: Run) -> tuple[list[Switched], list[str]]:
    """The rows, those with something to show first, and what was seen that no row claims."""
    settings = result.config.settings
    if not settings:
        return [], []
    seen = what_is_seen(result)
    claims = {name: claimed_by(name, settings, seen) for name in settings}
    rows = [_row(result, name, claims[name]) for name in settings]
    claimed = {item for items in claims.values() for item in items}
    unclaimed = [item.text for item in seen if item not in claimed]
    return sorted(rows, key=lambda row: not row.seen), unclaimed


def as_lines(result: Run) -> list[str]:
    """The rows as text for a terminal."""
    rows, unclaimed = switched(result)
    return [_line(row) for row in rows] + [f"seen, too: {text}" for text in unclaimed]


def _line(row: Switched) -> str:
    seen = "In this run" if row.alone or not row.seen else "In this run, and this can cause it"
    scene = f"Seen with --mode {row.scene}. " if row.scene and not row.seen else ""
    if row.is_choice:
        return (
            f"chosen {row.setting}, which is no fault (usual: {row.correct}): {row.protects} "
            f"{seen}: {row.seen_text}. {scene}".rstrip()
        )
    return (
        f"switched {row.setting}. Right is {row.correct}: {row.protects} "
        f"{seen}: {row.seen_text}. {scene}Put back: {row.put_back}"
    )


def _row(result: Run, name: str, seen: Sequence[Seen]) -> Switched:
    info, settings = BY_NAME[name], result.config.settings
    value, alone = settings[name], len(settings) == 1
    harmless = all(item.letter in ("", "G") for item in seen)
    return Switched(
        name, value, info.correct, protects_of(info, value), in_words(wrong_of(info, value)),
        _told(seen), _nothing(result, wrong_of(info, value), alone), alone,
        scene_of(name, value, besides=result.config.mode),
        harmless and value in CHOICES.get(name, ()),
    )  # fmt: skip


def _nothing(result: Run, shorthand: str, alone: bool) -> str:
    """What to say of a toggle that shows nothing, with the reason where the table has one."""
    mechanisms = result.config.mechanisms
    if where := _ONLY_WHERE.search(shorthand):
        slots = {"host": mechanisms.host_slots, "device": mechanisms.device_slots}[where[1]]
        if slots >= mechanisms.depth:
            return Said("nothing_implied", slots=slots, side=where[1], depth=mechanisms.depth)
    if not alone:  # what it does to the timing may stand among the others' gaps
        return Said("nothing_of_its_own")
    return NOTHING if result.config.compute else Said("nothing_without_tokens")


def scene_of(name: str, value: str, besides: str = "") -> str:
    """The mode that shows a toggle, the one that switches it alone if there is one; "" where
    there is none, or only `besides`."""
    scenes = [mode for mode in MODES.values() if mode.toggles.get(name) == value]
    best = min(scenes, key=lambda mode: len(mode.toggles), default=None)
    return "" if best is None or best.name == besides else best.name


def _told(seen: Sequence[Seen]) -> tuple[str, ...]:
    """The sentences; one for all gaps together, which names the largest cause."""
    gaps = [item for item in seen if item.letter == "G"]
    told = [item.text for item in seen if item.letter != "G"]
    if gaps:
        told.append(_idle_text(gaps))
    return tuple(told)


def _idle_text(gaps: Sequence[Seen]) -> Said:
    """All idle time, and its largest cause."""
    largest = max(gaps, key=lambda gap: gap.share)
    share = f"{100 * sum(gap.share for gap in gaps):.1f}"
    if len(gaps) == 1:
        return Said("seen_idle", share=share, cause=largest.about)
    part, more = f"{100 * largest.share:.1f}", len(gaps) - 1
    return Said("seen_idle_more", share=share, cause=largest.about, largest=part, more=more)


def claimed_by(name: str, settings: Mapping[str, str], seen: Sequence[Seen]) -> list[Seen]:
    """What a toggle may have caused of what is seen. The only one switched has caused everything.

    Wrong tokens that the table gives with a race, and with no broken invariant, come by that race
    alone: who has none of its races to show claims no tokens.
    """
    if len(settings) == 1:
        return list(seen)
    shorthand = wrong_of(BY_NAME[name], settings[name])
    letters, causes = letters_in(shorthand), _causes_of(name, settings[name])
    claimed = [item for item in seen if item.letter in letters and _fits(item, shorthand, causes)]
    by_race = letters.issuperset("TH") and "I" not in letters and IN_ANY_ORDER not in shorthand
    if by_race and not any(item.letter == "H" for item in claimed):
        return [item for item in claimed if item.letter != "T"]
    return claimed


def _fits(item: Seen, shorthand: str, causes: set[str]) -> bool:
    """Whether the table means this very hazard or gap; where it names none, it means any."""
    if item.letter == "G":
        return item.about in causes or not causes
    if item.letter != "H":
        return True
    kind, resource = item.about.split(" ", 1)
    kinds = [race for race in RACES if race in shorthand]
    return not kinds or (kind in kinds and resource in shorthand)


def _causes_of(name: str, value: str) -> set[str]:
    """Under which name a toggle's gap appears, from the scene that shows it with the fewest
    others."""
    scenes = [mode for mode in MODES.values() if mode.toggles.get(name) == value and mode.cause]
    fewest = min((len(scene.toggles) for scene in scenes), default=0)
    return {scene.cause for scene in scenes if len(scene.toggles) == fewest}


def what_is_seen(result: Run) -> list[Seen]:
    """Everything a run shows that the correct asynchronous run of the same work does not."""
    judged = [
        *_tokens(result), *_hazards(result),
        *(Seen("I", Said("seen_invariant", text=text)) for text in result.invariants[:1]),
        *(Seen("M", text) for text in peaks_over_bound(result)),
        *(Seen("E", Said("seen_error", text=text)) for text in result.errors[:1]),
        *_gaps(result),
    ]  # fmt: skip
    return judged or _figures(result)


def _tokens(result: Run) -> list[Seen]:
    diff = result.token_diff
    if diff is None or not diff.count:
        return []
    return [
        Seen(
            "T",
            Said("seen_tokens", count=diff.count, total=diff.total, step=diff.first_step),
        )
    ]


def _hazards(result: Run) -> list[Seen]:
    """One for each kind and resource; several edges may be missing on the same one."""
    pairs: dict[tuple[str, str], int] = {}
    for hazard in result.hazards:
        key = hazard.kind, hazard.resource
        pairs[key] = pairs.get(key, 0) + hazard.count
    return [
        Seen(
            "H",
            Said(
                "seen_hazard" if count == 1 else "seen_hazards",
                race=RACES[kind],
                resource=resource,
                pairs=f"{count:,}",
            ),
            f"{kind} {resource}",
        )
        for (kind, resource), count in pairs.items()
    ]


def _gaps(result: Run) -> list[Seen]:
    """None where work was held back on purpose: that idle time is nobody's fault."""
    if result.config.widen_ms:
        return []
    gaps = sorted(own_gaps(result).items(), key=lambda gap: -gap[1])
    return [
        Seen("G", Said("seen_idle", share=f"{100 * share:.1f}", cause=cause), cause, share)
        for cause, share in gaps
    ]


def _figures(result: Run) -> list[Seen]:
    """What no verdict judges: steps, rows and a timer that differ from the correct run's."""
    correct, numbers = baseline(result.config, asynchronous=True), result.figures
    found = []
    if result.steps > correct.steps:
        found.append(Said("seen_steps", count=result.steps, right=correct.steps))
    if numbers.wasted_rows > correct.figures.wasted_rows:
        right = correct.figures.wasted_rows
        found.append(Said("seen_wasted", count=numbers.wasted_rows, right=right))
    kernel_ms = (numbers.wall_ms - numbers.gpu_idle_ms) / max(1, result.steps)
    if abs(numbers.measured_gpu_ms - kernel_ms) > TIMER_POINTS * kernel_ms:
        measured, right_ms = f"{numbers.measured_gpu_ms:.2f}", f"{kernel_ms:.2f}"
        found.append(Said("seen_timer", measured=measured, right=right_ms))
    return [Seen("", text) for text in found]
