"""What a request may ask of its output, beside what the model has to say.

A prompt lists its own rules, a workload those of the requests it generates.
"""

from dataclasses import dataclass, fields
from typing import Any

from engine.model.tokenizer import encode

GRAMMARS = ("", "json")
"""The grammars by name; "" is free text."""


@dataclass(frozen=True, kw_only=True)
class Rules:
    """grammar: "json" makes prompt and output together one JSON value.

    stop: the output ends before the first of these strings.
    presence, frequency: taken off the logit of a token that the output holds already, once, or
    once for each time it occurs. repetition: such a logit is divided by it (multiplied where it
    is negative). 0, 0 and 1 change nothing.
    """

    grammar: str = ""
    stop: tuple[str, ...] = ()
    presence: float = 0.0
    frequency: float = 0.0
    repetition: float = 1.0

    @property
    def penalties(self) -> tuple[float, float, float]:
        """presence, frequency and repetition."""
        return self.presence, self.frequency, self.repetition

    @property
    def penalises(self) -> bool:
        """True when what has been written changes the logits."""
        return self.penalties != (0, 0, 1)

    @property
    def steers(self) -> bool:
        """True when sampling depends on tokens written before: on state that the host keeps."""
        return bool(self.grammar) or self.penalises


FREE = Rules()
"""No rules: what the model says is taken as it is."""


def rules_of(holder: Rules) -> dict[str, Any]:
    """The rules that a prompt or a workload holds, by name."""
    return {item.name: getattr(holder, item.name) for item in fields(Rules)}


def check_rules(rules: Rules) -> None:
    """Raise ValueError with one sentence where a rule cannot be followed."""
    if rules.grammar not in GRAMMARS:
        raise ValueError(f"no grammar {rules.grammar!r}: the one there is is called 'json'")
    if not all(isinstance(stop, str) and stop for stop in rules.stop):
        raise ValueError("'stop' must be a list of strings, none of them empty")
    for key, least in (("presence", -100), ("frequency", -100), ("repetition", 0.01)):
        if not least <= getattr(rules, key) <= 100:
            raise ValueError(f"workload entry {key!r} must lie between {least} and 100")
    for stop in rules.stop:
        encode(stop)
