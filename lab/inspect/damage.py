"""What a reader of the figures must know of a file: what was lost, mended, or is missing."""

import streamlit as st

from lab.catalogue import t
from lab.escape import for_markdown, sentence_for_markdown
from lab.inspect.inspection import Inspection

SHOWN = 3
"""So many warnings stand on the page; the others wait behind a line."""


def damage(inspection: Inspection) -> None:
    """The warnings, and behind a line what was kept, mended and skipped, and where."""
    warnings = inspection.warnings
    for warning in warnings[:SHOWN]:
        st.warning(sentence_for_markdown(warning, 400))
    rows = salvage_rows(inspection)
    if not rows and len(warnings) <= SHOWN:
        return
    with st.expander(t("damage.title"), key="damage"):
        for warning in warnings[SHOWN:]:
            st.markdown(f"- {sentence_for_markdown(warning, 400)}")
        if rows:
            st.markdown("\n".join(f"- {for_markdown(row, 300)}" for row in rows))


def salvage_rows(inspection: Inspection) -> list[str]:
    """For each file that was damaged, how its events were saved; nothing for whole files."""
    meta = inspection.trace.meta
    files = [(str(file.get("label")), file.get("meta", {})) for file in meta.get("files", [])]
    rows = []
    for label, of_file in files or [(inspection.name, meta)]:
        saved = of_file.get("salvage")
        if isinstance(saved, dict) and (saved.get("repaired") or saved.get("skipped")):
            places = ", ".join(f"{byte:,}" for byte in saved.get("at_bytes", []))
            rows.append(
                t(
                    "damage.row", file=label, kept=f"{saved['kept']:,}",
                    repaired=f"{saved['repaired']:,}", skipped=f"{saved['skipped']:,}",
                    places=places,
                )
            )  # fmt: skip
    return rows
