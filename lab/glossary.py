"""The causes of idle time in words: one sentence each, the same on every page and in the docs.

python -m lab.glossary > docs/glossary-of-gaps.md
"""

import re

import pandas as pd
import streamlit as st

from lab.catalogue import t, t_or, texts
from lab.picture.hover import cause_text
from traces.finding_rules import RULES, Rule, rule_of

SETTLED_NS = 1 << 62
"""A length for rules that look at it: where only the cause is known, the longest gap counts."""


def key_of(name: str) -> str:
    """A name as a part of a key of the catalogue."""
    return re.sub(r"\W+", "_", name)


def says(rule: str) -> str:
    """What a GPU does that is idle for this reason, as the rest of a sentence."""
    return t(f"rule.{key_of(rule)}.says")


def cure(rule: str) -> str:
    """What would take away the idle time of this rule, as the subject of a sentence; empty where it
    is asynchronous batching, or nobody can say."""
    known = f"rule.{key_of(rule)}.cure" in texts()
    return t(f"rule.{key_of(rule)}.cure") if known else ""


def meaning(cause: str, gap_ns: int = SETTLED_NS) -> str:
    """What a cause means, in one sentence: its own, or that of the rule it falls under."""
    if f"cause.{key_of(cause)}.means" in texts():
        return t(f"cause.{key_of(cause)}.means")
    return rule_meaning(rule_of(cause, gap_ns).name)


def rule_name(rule: str) -> str:
    """What a rule, or another finding, is called."""
    return t_or(f"rule.{key_of(rule)}.name", rule)


def advice(rule: str, source: str) -> str:
    """What to change; `source` is what the trace's findings say."""
    return t_or(f"rule.{key_of(rule)}.advice", source)


def rule_meaning(rule: str) -> str:
    """What a rule stands for, in one sentence; nothing for a finding that is no gap's."""
    known = f"rule.{key_of(rule)}.means" in texts()
    return t(f"rule.{key_of(rule)}.means") if known else ""


def cause_table(causes: list[str]) -> pd.DataFrame:
    """Causes with their sentences and the finding that each falls under."""
    rows = [(cause_text(c), meaning(c), rule_name(rule_of(c, SETTLED_NS).name)) for c in causes]
    return pd.DataFrame(rows, columns=[t(f"glossary.{n}") for n in ("cause", "means", "finding")])


def glossary(causes: list[str]) -> None:
    """On a page: what these causes mean, and below, every kind there is."""
    with st.expander(t("glossary.title"), key="glossary"):
        st.table(cause_table(causes))
        st.caption(t("glossary.all"))
        st.markdown("\n".join(f"- **{rule_name(r.name)}**: {rule_meaning(r.name)}" for r in RULES))


def glossary_page() -> str:
    """The page of the docs, as Markdown."""
    heads = [t(f"glossary.{name}") for name in ("finding", "means", "confidence", "toggle", "do")]
    rows = [heads, ["---"] * len(heads), *map(_row, RULES)]
    lines = ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows]
    own = [key for key in texts() if re.fullmatch(r"cause\.\w+\.means", key)]
    names = [f"- {key.split('.')[1].replace('_', ' ').strip()}: {t(key)}" for key in own]
    parts = [t("glossary.head"), "\n".join(lines), t("glossary.named"), "\n".join(names)]
    return "\n\n".join(parts) + "\n"


def _row(rule: Rule) -> list[str]:
    toggle = f"`{rule.mechanism}`" if rule.mechanism else ""
    return [rule.name, rule_meaning(rule.name), rule.confidence, toggle, rule.advice]


if __name__ == "__main__":
    print(glossary_page(), end="")
