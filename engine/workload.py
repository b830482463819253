"""What the engine is asked to do: prompts, lengths, arrivals, and the engine's size.

A workload is data: a preset by name or a small JSON file. It either lists its requests or
says how to generate them; a generated one can go on for as many steps as a run asks for.
"""

import itertools
import json
import os
import random
from collections.abc import Iterator
from dataclasses import asdict, dataclass, fields, replace
from functools import lru_cache
from pathlib import Path

from engine.corpus import UNFINISHED_BYTES, prompts, unfinished
from engine.kv import blocks_for
from engine.request import Request
from engine.reuse import follow, wrong_link
from engine.tokenizer import encode

TEXTS = 64
"""How many openings, and how many unfinished texts, a seed has; then they come again."""


MOST_ROWS = 256
"""The largest batch, in request rows."""


class WorkloadError(ValueError):
    """A workload that cannot be run; the message is one sentence."""


@dataclass(frozen=True)
class Prompt:
    """One listed request. `arrival_step` is the engine step before which it is unknown; with
    `after` it comes when the request of that id is over, and may have the same id."""

    prompt: str
    max_new_tokens: int
    id: str = ""
    arrival_step: int = 0
    after: str = ""

    def name(self, number: int) -> str:
        """The request's id: its own, or one made from its place in the list."""
        return self.id or f"r{number}"


@dataclass(frozen=True)
class Workload:
    """Requests and the engine's size.

    batch: request rows a step at most. max_batched_tokens: token rows a step at most
    (longer prompts are prefilled in chunks). kv_blocks x block_size positions of KV cache.
    Generated requests ask for shortest..longest output tokens; every `spread`-th step one
    arrives (0: all are there at once). `near_end` percent of them are texts that lack only
    their last words, so that they end by EOS before their longest length. temperature 0 is
    greedy. With `clients` each of so many clients asks again, under the id it had, when its
    request is over (0: every request has an id of its own).
    """

    name: str = "custom"
    about: str = ""
    batch: int = 8
    max_batched_tokens: int = 64
    block_size: int = 16
    kv_blocks: int = 160
    requests: tuple[Prompt, ...] = ()
    count: int = 16
    shortest: int = 48
    longest: int = 112
    spread: int = 0
    clients: int = 0
    near_end: int = 0
    temperature: float = 0.0
    top_k: int = 0
    top_p: float = 1.0

    def requests_for(self, seed: int, count: int | None, endless: bool) -> Iterator[Request]:
        """The requests in order of arrival.

        `count` cuts or extends a generated workload; `endless` lets it go on for ever.
        Raises WorkloadError when one can never fit into the KV cache.
        """
        if not self.requests and not endless and count is None:
            count = self.count
        listed = sorted(enumerate(self.requests), key=lambda numbered: numbered[1].arrival_step)
        specs = listed or enumerate(self._generate(seed, count))
        known: dict[str, Request] = {}
        for number, spec in itertools.islice(specs, count):
            request = self._request(number, spec, seed)
            follow(request, spec.after, known)
            yield request

    def _generate(self, seed: int, count: int | None) -> Iterator[Prompt]:
        """Endless requests, of which `count` will be taken (None: as many as a run needs)."""
        chooser = random.Random(f"lengths {seed}")
        texts = TEXTS if count is None else min(count, TEXTS)
        openings, endings = (itertools.cycle(kind) for kind in _generated_texts(seed, texts))
        for number in itertools.count():
            text = next(endings if chooser.random() * 100 < self.near_end else openings)
            length = chooser.randint(self.shortest, self.longest)
            client = f"r{number % self.clients}" if self.clients else ""
            after = client if number >= self.clients else ""
            yield Prompt(text, length, client, number * self.spread, after)

    def _request(self, number: int, spec: Prompt, seed: int) -> Request:
        name = spec.name(number)
        ids = encode(spec.prompt)
        needed = blocks_for(len(ids) + spec.max_new_tokens, self.block_size)
        if needed > self.kv_blocks:
            raise WorkloadError(
                f"request {name} needs {needed} KV blocks and the pool has {self.kv_blocks}: "
                "shorten it or enlarge kv_blocks"
            )
        return Request(name, ids, spec.max_new_tokens, seed * 1_000_003 + number, spec.arrival_step)

    @property
    def longest_request(self) -> int:
        """Positions that the longest request can take, prompt and output (BOS counted)."""
        if self.requests:
            return max(len(encode(p.prompt)) + p.max_new_tokens for p in self.requests)
        return UNFINISHED_BYTES + 1 + self.longest

    def with_batch(self, batch: int) -> "Workload":
        """The same for another batch size; the KV cache and token budget grow with it."""
        factor = -(-batch // self.batch)
        return replace(
            self,
            batch=batch,
            kv_blocks=max(self.kv_blocks, self.kv_blocks * factor),
            max_batched_tokens=max(self.max_batched_tokens, batch + self.max_batched_tokens // 2),
            count=max(self.count, 2 * batch),
        )


@lru_cache(maxsize=8)
def _generated_texts(seed: int, count: int) -> tuple[list[str], list[str]]:
    """`count` openings, and as many unfinished texts, which are slow to find."""
    return prompts(seed, count), list(itertools.islice(unfinished(seed), count))


PRESETS: dict[str, Workload] = {
    workload.name: workload
    for workload in (
        Workload(
            "chat",
            "Ten stories and records on six rows; some end early, others take their rows.",
            batch=6,
            max_batched_tokens=96,
            count=10,
            shortest=48,
            longest=84,
            near_end=40,
        ),
        Workload(
            "churn",
            "Many short requests that come and go: rows move nearly every step.",
            count=20,
            shortest=12,
            longest=80,
            spread=2,
            near_end=80,
        ),
        Workload(
            "long-prompts",
            "A small token budget: prompts are prefilled in several chunks.",
            batch=4,
            max_batched_tokens=6,
            count=8,
            shortest=24,
            longest=64,
            spread=3,
            near_end=50,
        ),
        Workload(
            "same-clients",
            "Five clients: each asks again under its old id as soon as its request is over.",
            batch=6,
            max_batched_tokens=128,
            count=20,
            shortest=12,
            longest=80,
            clients=5,
            near_end=80,
        ),
        Workload(
            "independent",
            "Requests of one output token: no batch needs another batch's result.",
            batch=1,
            max_batched_tokens=64,
            kv_blocks=16,
            count=3,
            shortest=1,
            longest=1,
        ),
        Workload(
            "sampled",
            "As churn, sampled at temperature 0.8 from the 40 most likely bytes.",
            count=16,
            shortest=12,
            longest=80,
            spread=2,
            near_end=80,
            temperature=0.8,
            top_k=40,
            top_p=0.95,
        ),
        Workload(
            "published",
            "The published run's size: 32 rows, 8,192 output tokens each (timing alone).",
            batch=32,
            max_batched_tokens=96,
            kv_blocks=17_000,
            count=32,
            shortest=8_192,
            longest=8_192,
        ),
    )
}


def load_workload(source: str) -> Workload:
    """A preset by name, or a JSON file as written by `dump_workload`.

    Raises WorkloadError with one sentence when it is neither or cannot be used.
    """
    if source in PRESETS:
        return PRESETS[source]
    if not os.path.isfile(source):
        raise WorkloadError(
            f"no workload {source!r}: use one of {', '.join(PRESETS)}, or a JSON file"
        )
    try:
        document = json.loads(Path(source).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise WorkloadError(f"{source}: not a readable JSON file ({error})") from None
    return workload_from_dict(document, Path(source).stem)


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
    workload = replace(Workload(name=name), **values, requests=prompts_listed)
    return _checked(workload)


def _prompt_from(entry: object) -> Prompt:
    if not isinstance(entry, dict) or "prompt" not in entry or "max_new_tokens" not in entry:
        raise WorkloadError("each request needs a prompt and max_new_tokens")
    _check_entries(Prompt("", 1), entry)
    prompt = Prompt(**entry)
    if not 1 <= prompt.max_new_tokens <= 100_000 or prompt.arrival_step < 0:
        raise WorkloadError("max_new_tokens must be 1 to 100000 and arrival_step not negative")
    try:
        encode(prompt.prompt)
    except ValueError as error:
        raise WorkloadError(str(error)) from None
    return prompt


def _check_entries(example: Workload | Prompt, values: dict[str, object]) -> None:
    known = {item.name: getattr(example, item.name) for item in fields(example)}
    for key, value in values.items():
        if key not in known:
            raise WorkloadError(f"unknown workload entry {key!r}; known are {', '.join(known)}")
        kind = (int, float) if isinstance(known[key], float) else type(known[key])
        if not isinstance(value, kind) or isinstance(value, bool):
            raise WorkloadError(f"workload entry {key!r} has the wrong type")


def _checked(workload: Workload) -> Workload:
    limits = {
        "batch": (1, MOST_ROWS),
        "max_batched_tokens": (workload.batch, 4096),
        "block_size": (1, 256),
        "kv_blocks": (1, 100_000),
        "count": (1, 100_000),
        "shortest": (1, workload.longest),
        "longest": (1, 100_000),
        "spread": (0, 1000),
        "clients": (0, 1000),
        "near_end": (0, 100),
        "temperature": (0, 10),
        "top_k": (0, 256),
        "top_p": (0, 1),
    }
    for key, (low, high) in limits.items():
        if not low <= getattr(workload, key) <= high:
            raise WorkloadError(f"workload entry {key!r} must lie between {low} and {high}")
    numbered = sorted(enumerate(workload.requests), key=lambda item: item[1].arrival_step)
    if wrong := wrong_link((spec.name(number), spec.after) for number, spec in numbered):
        raise WorkloadError(wrong)
    return workload
