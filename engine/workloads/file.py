"""Workloads as small JSON files: written, read back, and checked entry by entry.

Whatever cannot be run is refused here with one sentence, before an engine is built.
"""

import json
from dataclasses import asdict, fields, replace
from pathlib import Path

from engine.json_file import is_utf8, read_json
from engine.model.tokenizer import encode
from engine.requests.rules import check_rules
from engine.workloads.arrivals import ARRIVALS
from engine.workloads.presets import WORKLOADS
from engine.workloads.reuse import wrong_link
from engine.workloads.workload import MOST_ROWS, Prompt, Workload, WorkloadError

WORDS = {
    "arrivals": ARRIVALS,
    "admission": ("full", "on-demand"),
    "preemption": ("recompute", "swap"),
}
"""Entries that take one of a few words."""


def load_workload(source: str) -> Workload:
    """A preset by name, or a JSON file as written by `dump_workload`.

    Raises WorkloadError with one sentence when it is neither or cannot be used.
    """
    if source in WORKLOADS:
        return WORKLOADS[source]
    missing = f"no workload {source!r}: use one of {', '.join(WORKLOADS)}, or a JSON file"
    return workload_from_dict(read_json(source, missing, WorkloadError), Path(source).stem)


def dump_workload(workload: Workload) -> str:
    """The workload as JSON text."""
    return json.dumps(asdict(workload), indent=2) + "\n"


def workload_from_dict(document: object, name: str = "custom") -> Workload:
    """A workload from decoded JSON. Raises WorkloadError naming the first wrong entry."""
    if not isinstance(document, dict):
        raise WorkloadError("a workload is a JSON object with entries such as batch and requests")
    values = dict(document)
    listed = values.pop("requests", ())
    _check_entries(Workload(), values)
    if not isinstance(listed, list | tuple):
        raise WorkloadError("'requests' must be a list of {prompt, max_new_tokens}")
    prompts_listed = tuple(_prompt_from(entry) for entry in listed)
    values["stop"] = tuple(values.get("stop", ()))
    return check_workload(replace(Workload(name=name), **values, requests=prompts_listed))


def check_workload(workload: Workload) -> Workload:
    """A workload as it is, but with tuples for lists. Raises WorkloadError naming the first wrong
    entry."""
    _check_entries(Workload(), _entries(workload))
    for prompt in workload.requests:
        if not isinstance(prompt, Prompt):
            raise WorkloadError(f"'requests' must be a list of Prompt, and holds {prompt!r}")
        _check_prompt(prompt)
    listed = tuple(replace(prompt, stop=tuple(prompt.stop)) for prompt in workload.requests)
    return _checked(replace(workload, stop=tuple(workload.stop), requests=listed))


def _entries(holder: Workload | Prompt) -> dict[str, object]:
    return {item.name: getattr(holder, item.name) for item in fields(holder)}


def _prompt_from(entry: object) -> Prompt:
    if not isinstance(entry, dict) or "prompt" not in entry or "max_new_tokens" not in entry:
        raise WorkloadError("each request needs a prompt and max_new_tokens")
    _check_entries(Prompt("", 1), entry)
    return Prompt(**{**entry, "stop": tuple(entry.get("stop", ()))})


def _check_prompt(prompt: Prompt) -> None:
    _check_entries(Prompt("", 1), _entries(prompt))
    if not 1 <= prompt.max_new_tokens <= 100_000 or prompt.arrival_step < 0:
        raise WorkloadError("max_new_tokens must be 1 to 100000 and arrival_step not negative")
    if prompt.cancel_step < 0:
        raise WorkloadError("cancel_step must not be negative (0: never)")
    try:
        encode(prompt.prompt)
        check_rules(prompt)
    except ValueError as error:
        raise WorkloadError(str(error)) from None


def _check_entries(example: Workload | Prompt, values: dict[str, object]) -> None:
    known = {item.name: getattr(example, item.name) for item in fields(example)}
    for key, value in values.items():
        if key not in known:
            raise WorkloadError(f"unknown workload entry {key!r}; known are {', '.join(known)}")
        kinds = {float: (int, float), tuple: (list, tuple)}
        kind = kinds.get(type(known[key]), type(known[key]))
        if not isinstance(value, kind) or isinstance(value, bool) != (kind is bool):
            raise WorkloadError(f"workload entry {key!r} has the wrong type")
        if isinstance(value, str) and not is_utf8(value):
            raise WorkloadError(
                f"workload entry {key!r} holds half of a surrogate pair: no file can"
            )


def _checked(workload: Workload) -> Workload:
    try:
        check_rules(workload)
    except ValueError as error:
        raise WorkloadError(str(error)) from None
    limits = {
        "batch": (1, MOST_ROWS),
        "max_batched_tokens": (workload.batch * (1 + workload.speculate), 4096),
        "block_size": (1, 256),
        "kv_blocks": (1, 100_000),
        "count": (1, 100_000),
        "shortest": (1, workload.longest),
        "longest": (1, 100_000),
        "spread": (0, 1000),
        "burst": (1, 1000),
        "clients": (0, 1000),
        "near_end": (0, 100),
        "prompt_shortest": (min(1, workload.prompt_longest), workload.prompt_longest),
        "prompt_longest": (0, 100_000),
        "temperature": (0, 10),
        "top_k": (0, 256),
        "top_p": (0, 1),
        "shared_prefix": (0, 4096),
        "window": (0, 100_000),
        "cancels": (0, 100),
        "speculate": (0, 8),
        "acceptance": (0, 100),
        "fault_step": (0, 1_000_000),
    }
    for key, (low, high) in limits.items():
        if not low <= getattr(workload, key) <= high:
            raise WorkloadError(f"workload entry {key!r} must lie between {low} and {high}")
    for key, words in WORDS.items():
        if (word := getattr(workload, key)) not in words:
            known = " or ".join(words)
            raise WorkloadError(f"workload entry {key!r} must be {known}, not {word!r}")
    numbered = sorted(enumerate(workload.requests), key=lambda item: item[1].arrival_step)
    if wrong := wrong_link((spec.name(number), spec.after) for number, spec in numbered):
        raise WorkloadError(wrong)
    return workload
