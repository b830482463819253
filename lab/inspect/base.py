"""What all idle shares of a page are shares of (`traces.observed`), in words."""

from lab.catalogue import t
from traces import Trace


def base_text(trace: Trace) -> str:
    """The base of this trace."""
    return t("idle.base_run") if trace.is_engine_dump else t("idle.base_device")
