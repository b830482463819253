"""What all idle shares of a page are shares of (`traces.observed`), in words; and how several GPUs
of one trace are named."""

from lab.catalogue import t
from lab.inspect.inspection import Inspection
from lab.units import percent, short_ms
from traces import Finding
from traces.together import MOST_NAMED


def base_text(inspection: Inspection) -> str:
    """The base of this trace, of each GPU where it has several."""
    if inspection.trace.is_engine_dump:
        return t("idle.base_run")
    return t("idle.base_device" if inspection.has_one_gpu else "idle.base_devices")


def base_told(inspection: Inspection) -> str:
    """The base as a sentence about a whole page."""
    told = t("idle.base", base=base_text(inspection))
    if inspection.has_one_gpu:
        return told
    added = short_ms(sum(idle.of_ns for idle in inspection.idles))
    return told + t("idle.base_together", gpus=together(inspection), time=added)


def together(inspection: Inspection) -> str:
    """All GPUs of a trace that has several."""
    count = len(inspection.idles)
    return t("gpus.both") if count == 2 else t("gpus.all", count=count)


def each(finding: Finding) -> str:
    """What each GPU has of a finding, in its own time; of many those that have most."""
    told = [
        t("gpus.share", device=one.device, share=percent(one.share))
        for one in finding.devices[:MOST_NAMED]
    ]
    if len(finding.devices) > MOST_NAMED:
        told.append(t("gpus.more", count=len(finding.devices) - MOST_NAMED))
    return t("list.comma").join(told)
