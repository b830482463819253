"""The verdict on a trace in one sentence: how idle, what for, and what would be saved by what.

Asynchronous batching is promised only where it is what is missing: not where the largest part of
the idle time has another cure, and not to steps that overlap already.
"""

from lab.catalogue import t
from lab.glossary import cure, says
from lab.inspect.inspection import Inspection
from lab.picture.hover import cause_text
from lab.units import percent, short_ms
from traces.finding_rules import INCOMPLETE

LITTLE = 0.01
"""Less than this share is told as nothing: a prediction is no more exact than that."""

CAUSES_NAMED = 3


def verdict(inspection: Inspection) -> str:
    """The sentence on top, about the idlest device; empty for a trace without GPU work."""
    if not inspection.idles:
        return ""
    idlest = inspection.idlest
    count = len(inspection.idles)
    name = t("verdict.gpu", device=idlest.device)
    if count > 1:
        name = t("verdict.idlest", device=idlest.device, count=count)
    if not idlest.idle_ns:
        return t("verdict.busy", gpu=name, span=short_ms(idlest.of_ns))
    rule, part = inspection.main_rule
    if rule == INCOMPLETE:
        return t(
            "verdict.cannot_tell", gpu=name, share=percent(idlest.share),
            span=short_ms(idlest.of_ns), part=percent(part),
        )  # fmt: skip
    return t(
        "verdict.idle", gpu=name, share=percent(idlest.share), span=short_ms(idlest.of_ns),
        part=percent(part), says=says(rule),
        outlook=_cured(cure(rule), part * idlest.share) if cure(rule) else _outlook(inspection),
    )  # fmt: skip


def causes_told(inspection: Inspection) -> str:
    """The largest causes with their shares of the idle time of the verdict's GPU, as a sentence for
    the line below it; empty without idle time."""
    if not inspection.idles:
        return ""
    device = inspection.idlest.device
    causes = inspection.causes_by_device.get(device, {})
    total = sum(causes.values())
    told = t("list.comma").join(
        t("verdict.cause", share=percent(ns / total), cause=cause_text(cause))
        for cause, ns in list(causes.items())[:CAUSES_NAMED]
    )
    if not told or inspection.has_one_gpu:
        return t("verdict.causes", causes=told) if told else ""
    return t("verdict.causes_gpu", device=device, causes=told)


def _cured(cured_by: str, share: float) -> str:
    """What the cure of the largest part would save: all of that part at most."""
    if share < LITTLE:
        return t("verdict.cure_little", cure=cured_by)
    return t("verdict.cure", cure=cured_by, saving=percent(share))


def _outlook(inspection: Inspection) -> str:
    """What overlap would save."""
    if inspection.prediction.cannot_tell:
        return ""
    if inspection.ruling.overlapped and inspection.prediction.saving < LITTLE:
        return t("verdict.overlaps")
    guess = t("verdict.guess") if inspection.steps.is_guess else ""
    if inspection.ruling.overlapped:
        return t("verdict.overlaps_gain", saving=percent(inspection.prediction.saving)) + guess
    parts = inspection.prediction.parts
    host_bound = sum(p.host_ns for p in parts) > sum(p.compute_ns for p in parts)
    if inspection.prediction.saving < LITTLE:
        return t("verdict.no_gain_host" if host_bound else "verdict.no_gain")
    saving = f"{100 * inspection.prediction.saving:.0f} %"
    return t("verdict.gain_host" if host_bound else "verdict.gain", saving=saving) + guess
