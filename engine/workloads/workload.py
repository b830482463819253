"""What the engine is asked to do: prompts, lengths, arrivals, and the engine's size.

A workload is data: a preset by name or a small JSON file (`engine.workloads.file`). It either
lists its requests or says how to generate them; a generated one can go on for as many steps
as a run asks for.
"""

import itertools
import random
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

from engine.kv.pool import blocks_for
from engine.model.corpus import UNFINISHED_BYTES, prompts, to_length, unfinished
from engine.model.tokenizer import encode
from engine.requests.grammar import read
from engine.requests.request import Request
from engine.requests.rules import Rules, rules_of
from engine.workloads.arrivals import arrival_steps
from engine.workloads.reuse import follow, wrong_link

TEXTS = 64
"""How many openings, and how many unfinished texts, a seed has; then they come again."""


MOST_ROWS = 256
"""The largest batch, in request rows."""


class WorkloadError(ValueError):
    """A workload that cannot be run; the message is one sentence."""


@dataclass(frozen=True)
class Prompt(Rules):
    """One listed request with its rules. It is unknown before engine step `arrival_step`; with
    `after` it comes when the request of that id is over, and may have the same id. Its client
    cancels it at `cancel_step` (0: never)."""

    prompt: str
    max_new_tokens: int
    id: str = ""
    arrival_step: int = 0
    after: str = ""
    cancel_step: int = 0

    def name(self, number: int) -> str:
        """The request's id: its own, or one made from its place in the list."""
        return self.id or f"r{number}"


@dataclass(frozen=True)
class Workload(Rules):
    """Requests and the engine's size.

    batch: request rows a step at most. max_batched_tokens: token rows a step at most
    (longer prompts are prefilled in chunks). kv_blocks x block_size positions of KV cache.
    Generated requests ask for shortest..longest output tokens; every `spread`-th step `burst`
    of them arrive (0: all are there at once), or with `arrivals` "poisson" after random times
    of `spread` steps in the mean. `near_end` percent of them are texts that lack only their
    last words, so that they end by EOS before their longest length. Prompts have
    prompt_shortest..prompt_longest bytes (0: each as the corpus has it). temperature 0 is
    greedy. Its rules are those of the generated requests; a grammar binds those of them whose
    prompt begins like a JSON text. With `clients` each of so many clients asks again, under the
    id it had, when its request is over (0: every request has an id of its own). A decode row
    has up to `speculate` drafts; in a timing-only run, where there are no tokens to verify, each
    is accepted with a chance of `acceptance` percent.

    `prefix_cache` lets a request start behind blocks that hold the same beginning;
    `shared_prefix` bytes begin every generated prompt. `admission`: "full" reserves all blocks
    that a request can need when it joins, "on-demand" as it grows; then requests may be
    preempted, and `preemption` is "recompute" or "swap". With a sliding `window` a token sees
    that many positions (0: all). `cancels` percent of generated requests are cancelled. Where a
    fault is injected it strikes batch `fault_step` (0: the default of `engine.device.faults`).
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
    arrivals: str = "even"
    spread: int = 0
    burst: int = 1
    clients: int = 0
    near_end: int = 0
    prompt_shortest: int = 0
    prompt_longest: int = 0
    temperature: float = 0.0
    top_k: int = 0
    top_p: float = 1.0
    prefix_cache: bool = False
    shared_prefix: int = 0
    admission: str = "full"
    preemption: str = "recompute"
    window: int = 0
    cancels: int = 0
    speculate: int = 0
    acceptance: int = 60
    fault_step: int = 0

    def requests_for(self, seed: int, count: int | None, endless: bool) -> Iterator[Request]:
        """The requests in order of arrival.

        `count` cuts or extends a generated workload; `endless` lets it go on for ever.
        Raises WorkloadError when one can never fit into the KV cache, or comes after a request
        that is not there.
        """
        if not self.requests and not endless and count is None:
            count = self.count
        listed = sorted(enumerate(self.requests), key=lambda numbered: numbered[1].arrival_step)
        if wrong := wrong_link((spec.name(number), spec.after) for number, spec in listed):
            raise WorkloadError(wrong)
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
        shared = _shared_text(self.shared_prefix)
        canceller = random.Random(f"cancels {seed}")
        sizes = random.Random(f"prompt lengths {seed}")
        rules, free = rules_of(self), rules_of(self) | {"grammar": ""}
        for number, step in enumerate(self.arrival_steps(seed)):
            text = next(endings if chooser.random() * 100 < self.near_end else openings)
            length = chooser.randint(self.shortest, self.longest)
            if self.prompt_longest:
                size = sizes.randint(self.prompt_shortest, self.prompt_longest)
                text = to_length(text, size, seed)
            client = f"r{number % self.clients}" if self.clients else ""
            after = client if number >= self.clients else ""
            cancelled = canceller.random() * 100 < self.cancels
            cancel = step + canceller.randint(1, self.longest) if cancelled else 0
            prompt = shared + text
            ruled = rules if self.grammar and _begins_json(prompt) else free
            yield Prompt(prompt, length, client, step, after, cancel, **ruled)

    def arrival_steps(self, seed: int) -> Iterator[int]:
        """The steps at which requests arrive, in ascending order; endless when generated."""
        if self.requests:
            return iter(sorted(prompt.arrival_step for prompt in self.requests))
        return arrival_steps(self.arrivals, self.spread, self.burst, seed)

    def _request(self, number: int, spec: Prompt, seed: int) -> Request:
        name = spec.name(number)
        ids = encode(spec.prompt)
        needed = blocks_for(len(ids) + spec.max_new_tokens, self.block_size)
        if needed > self.kv_blocks:
            raise WorkloadError(
                f"request {name} needs {needed} KV blocks and the pool has {self.kv_blocks}: "
                "shorten it or enlarge kv_blocks"
            )
        state = read(bytes(ids[1:])) if spec.grammar else None
        if spec.grammar and state is None:
            raise WorkloadError(
                f"the prompt of request {name} is not the beginning of a JSON text: change it or "
                "leave the grammar out"
            )
        return Request(
            name, ids, spec.max_new_tokens, seed * 1_000_003 + number, spec.arrival_step,
            rules=spec, json_state=state, cancel_step=spec.cancel_step,
        )  # fmt: skip

    @property
    def steers_any(self) -> bool:
        """True when some request of it may be steered: by a grammar or by penalties."""
        return any(rules.steers for rules in self.requests or (self,))

    @property
    def longest_request(self) -> int:
        """Positions that the longest request can take, prompt and output (BOS counted)."""
        if self.requests:
            return max(len(encode(p.prompt)) + p.max_new_tokens for p in self.requests)
        return self.shared_prefix + (self.prompt_longest or UNFINISHED_BYTES) + 1 + self.longest

    @property
    def has_cancels(self) -> bool:
        """True when some client may cancel."""
        return self.cancels > 0 or any(prompt.cancel_step for prompt in self.requests)

    def with_batch(self, batch: int) -> "Workload":
        """The same for another batch size; the KV cache and token budget grow with it."""
        factor = -(-batch // self.batch)
        return replace(
            self,
            batch=batch,
            kv_blocks=max(self.kv_blocks, self.kv_blocks * factor),
            max_batched_tokens=max(
                self.max_batched_tokens,
                batch * (1 + self.speculate) + self.max_batched_tokens // 2,
            ),
            count=max(self.count, 2 * batch),
        )


@lru_cache(maxsize=8)
def _generated_texts(seed: int, count: int) -> tuple[list[str], list[str]]:
    """`count` openings, and as many unfinished texts, which are slow to find."""
    return prompts(seed, count), list(itertools.islice(unfinished(seed), count))


def _begins_json(prompt: str) -> bool:
    """True for a prompt that is the beginning of a JSON object."""
    return prompt.startswith("{") and read(prompt.encode()) is not None


def _shared_text(length: int) -> str:
    """The same `length` bytes for every request and seed, such as a system prompt would be."""
    text = " ".join(prompts(0, 1 + length // 16)) if length else ""
    return text.ljust(length)[:length]
