"""What a lesson is made of, as plain values; `lessons.loading` reads them from a folder.

Words that are said in both languages are `Words`. Longer text is Markdown (`lessons.texts`).
"""

from pathlib import Path
from typing import Literal, get_args

import msgspec

LANGUAGES = ("en", "zh")
LEVELS = ("first steps", "core", "advanced")

Group = Literal["idea", "order", "engine", "further"]
GROUPS: tuple[Group, ...] = get_args(Group)
"""The parts of the course, in order: what overlap is about; streams, events and buffers; the whole
engine; and what can be taken singly."""

FOLDER = Path(__file__).parent

FILES_END = ".json"
"""How the names of a lesson's own workloads and costs end."""


class LessonError(ValueError):
    """A lesson cannot be used; the message is one sentence that names the file and the entry."""


class Words(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One sentence in every language."""

    en: str
    zh: str

    def said(self, language: str, **values: object) -> str:
        """The sentence in a language, with its {placeholders} filled."""
        text: str = getattr(self, language)
        return text.format(**values)


POINTS = Words("{ask} ({points} points)", "{ask}（{points} 分）")
"""A question that counts more than others."""

GROUP_NAMES: dict[Group, Words] = {
    "idea": Words("The idea: keep the device busy", "核心想法：别让设备闲着"),
    "order": Words("Streams, events, buffers", "流、事件与缓冲区"),
    "engine": Words("The whole engine", "完整的引擎"),
    "further": Words("Beyond the loop: pick by topic", "循环之外：按主题选学"),
}
"""What the parts are called."""


class Scene(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A run of the engine that a lesson shows.

    `mode` with `toggles` changed, and what of it the learner may switch (`switches`). `figures`
    are numbers of this run that the text quotes, by name (`lessons.figures`), written with as
    many decimals as the text has. `workload` and `cost` are presets, or JSON files in the lesson's
    folder; with `jitter` durations vary by so many percent up and down, as the seed has it.
    The page opens on `window_ms`, the stepper at `at_ms`.

    With a `program` it is no run of the engine but of that function of the lesson's `programs.py`
    (`lessons.programs`), and the learner may choose among the `options` of its arguments; the
    first value of each is what the text speaks of.
    """

    id: str
    program: str = ""
    options: dict[str, tuple[str, ...]] = msgspec.field(default_factory=dict)
    mode: str = "async"
    toggles: dict[str, str] = msgspec.field(default_factory=dict)
    switches: tuple[str, ...] = ()
    workload: str | None = None
    cost: str | None = None
    batch: int | None = None
    steps: int | None = None
    requests: int | None = None
    seed: int | None = None
    jitter: float = 0.0
    compute: bool = True
    figures: dict[str, str] = msgspec.field(default_factory=dict)
    window_ms: tuple[float, float] | None = None
    at_ms: float = 0.0
    beside: str = ""
    """a scene that is drawn above this one, on the same axis"""
    handout: bool = False
    """learners get its trace as a file that does not say how it came about (`lessons.handouts`)"""

    @property
    def has_own_files(self) -> bool:
        """Whether its workload or its cost is a file of the lesson, and no preset of the engine."""
        return any(name.endswith(FILES_END) for name in (self.workload or "", self.cost or ""))


class Predict(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The question before anything is shown. Its answer is a figure of a scene's own run.

    "number": right within `tolerance`. "choice": the list in the text has an entry for each of
    `ranges` (from, to, both counted), and that whose range holds the figure is right. `unit` is a
    symbol, or one of the words in `lessons.prediction.COUNTED`.
    """

    kind: Literal["choice", "number"]
    figure: str
    unit: str = ""
    tolerance: float = 0.0
    ranges: tuple[tuple[float, float], ...] = ()


class Question(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A question of an exercise that is answered with a number or a word, not with code.

    The answer is a `figure` of a scene's run, or `answer`: one of the lesson's choices, for
    what is a fact and no measurement. Where a choice answers for a figure, `ranges` has for each
    choice (from, to, both counted) when it is right. `why` is said with a right answer and with a
    wrong one; {{scene.figure}} in it quotes a figure.

    "edge" is answered by a click in the timeline of `run`, a program whose order has one `fault`:
    a wait for the "wrong" event, a "needless" one, or one that is "missing" (`lessons.edges`).
    What is right is read from the run; three `hints` come one by one, `why` with the right answer.
    """

    id: str
    ask: Words
    why: Words
    kind: Literal["choice", "number", "edge"] = "choice"
    run: str = ""
    fault: Literal["", "wrong", "needless", "missing"] = ""
    hints: tuple[Words, ...] = ()
    figure: str = ""
    answer: str = ""
    ranges: dict[str, tuple[float, float]] = msgspec.field(default_factory=dict)
    unit: str = ""
    tolerance: float = 0.0
    points: int = 1

    def asked(self, language: str) -> str:
        """The question, with its points where it has more than one."""
        ask = self.ask.said(language)
        return ask if self.points == 1 else POINTS.said(language, ask=ask, points=self.points)


class Link(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A public issue or pull request with a fault of this kind."""

    repository: str
    number: int

    @property
    def name(self) -> str:
        """As people write it: sgl-project/sglang#26380."""
        return f"{self.repository}#{self.number}"

    @property
    def url(self) -> str:
        """Where it is; GitHub forwards to the pull request where it is one."""
        return f"https://github.com/{self.repository}/issues/{self.number}"


class Lesson(msgspec.Struct, frozen=True, eq=False, forbid_unknown_fields=True, kw_only=True):
    """One lesson. `exercise`: "code" is edited in an editor, "questions" may be answered on the
    page as well; code may come with some questions, too. `choices` are the words that questions
    are answered with, `checks` the names of the exercise's checks, `messages` what they say.
    `wrong` tells for each file in `wrong/` which message it must get. A `run` is a scene that no
    page shows: questions are about it, and where it is a program its picture comes once they are
    answered."""

    id: str
    minutes: int
    level: Literal["first steps", "core", "advanced"]
    group: Group
    exercise: Literal["code", "questions"]
    predict: Predict
    scene: tuple[Scene, ...]
    run: tuple[Scene, ...] = ()
    prerequisites: tuple[str, ...] = ()
    question: tuple[Question, ...] = ()
    choices: dict[str, Words] = msgspec.field(default_factory=dict)
    checks: dict[str, Words] = msgspec.field(default_factory=dict)
    messages: dict[str, Words] = msgspec.field(default_factory=dict)
    wrong: dict[str, str] = msgspec.field(default_factory=dict)
    wild: tuple[Link, ...] = ()
    folder: Path = FOLDER

    @property
    def order(self) -> int:
        """Its place in the course."""
        return int(self.id)

    def scene_named(self, name: str) -> Scene:
        """The scene, or the run, of that id. Raises KeyError."""
        return {scene.id: scene for scene in (*self.scene, *self.run)}[name]
