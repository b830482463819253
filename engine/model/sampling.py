"""Choosing the next token from logits, so that every order of execution draws alike.

Greedy takes the largest logit. At a temperature the Gumbel trick is used: adding Gumbel
noise to the scaled logits and taking the largest is a draw from the softmax. The noise
is a pure function of (seed, output position, token id), a counter-based generator: no
state, so synchronous and asynchronous engines draw the same numbers whatever shares
their batches. The generator mixes 64-bit integers with the finaliser of SplitMix64
(Steele, Lea, Flood 2014).
"""

from dataclasses import dataclass

import torch

from engine.workloads.workload import Workload

_GOLDEN = -7046029254386353131  # 0x9E3779B97F4A7C15 as a signed 64-bit integer
_MIX_1 = -4658895280553007687  # 0xBF58476D1CE4E5B9
_MIX_2 = -7723592293110705685  # 0x94D049BB133111EB


@dataclass(frozen=True, slots=True)
class Sampler:
    """temperature 0 is greedy; top_k 0 and top_p 1 keep every token.

    `generator` replaces the counter-based numbers by one global stream of them: what is
    drawn then depends on the order in which rows are sampled.
    """

    temperature: float = 0.0
    top_k: int = 0
    top_p: float = 1.0
    generator: torch.Generator | None = None

    def __call__(
        self, logits: torch.Tensor, seeds: torch.Tensor, positions: torch.Tensor
    ) -> torch.Tensor:
        """Token ids [R] from logits [R, V], request seeds [R] and output positions [R]."""
        if self.temperature == 0:
            return logits.argmax(-1)
        scores = _keep_likely(logits / self.temperature, self.top_k, self.top_p)
        if self.generator is not None:
            uniform = torch.rand(scores.shape, generator=self.generator, dtype=torch.float64)
            if scores.device.type != "cpu":  # one stream of numbers, the host's, on every device
                uniform = uniform.pin_memory().to(scores.device, non_blocking=True)
        else:
            uniform = counter_uniform(seeds, positions, scores.shape[-1])
        return (scores - (-uniform.clamp(1e-300, 1 - 1e-16).log()).log()).argmax(-1)


def steer(
    logits: torch.Tensor, mask: torch.Tensor, history: torch.Tensor, penalties: torch.Tensor
) -> torch.Tensor:
    """Logits [R, V] after the penalties, with what the mask [R, V] forbids at -inf.

    history [R, V] counts the tokens of the output; penalties [R, 3] are presence and frequency
    (as in OpenAI's API: subtracted) and repetition (Keskar et al. 2019, CTRL: divided by).
    """
    presence, frequency, repetition = penalties.unsqueeze(-1).unbind(1)
    seen = history > 0
    scaled = torch.where(logits > 0, logits / repetition, logits * repetition)
    logits = torch.where(seen, scaled, logits) - frequency * history - presence * seen
    return logits.masked_fill(~mask, -torch.inf)


def make_sampler(workload: Workload, rng: str, seed: int) -> Sampler:
    """The sampler of a workload; `rng` is "counter" or "global"."""
    generator = torch.Generator().manual_seed(seed) if rng == "global" else None
    return Sampler(workload.temperature, workload.top_k, workload.top_p, generator)


def counter_uniform(seeds: torch.Tensor, positions: torch.Tensor, width: int) -> torch.Tensor:
    """Uniform numbers in [0, 1), shape [R, width], from seeds [R] and positions [R] alone."""
    rows = _mix(_mix(seeds * _GOLDEN) + positions * _MIX_1)
    ids = torch.arange(1, width + 1, device=rows.device)
    bits = _mix(rows[:, None] + ids * _GOLDEN)
    return _shift(bits, 11).to(torch.float64) / 2**53


def _mix(x: torch.Tensor) -> torch.Tensor:
    x = (x ^ _shift(x, 30)) * _MIX_1
    x = (x ^ _shift(x, 27)) * _MIX_2
    return x ^ _shift(x, 31)


def _shift(x: torch.Tensor, bits: int) -> torch.Tensor:
    """Logical right shift of signed 64-bit integers."""
    return (x >> bits) & ((1 << (64 - bits)) - 1)


def _keep_likely(scores: torch.Tensor, top_k: int, top_p: float) -> torch.Tensor:
    """Scores [R, V] with everything outside top-k and the top-p nucleus at -inf."""
    if top_k and top_k < scores.shape[-1]:
        least = scores.topk(top_k, -1).values[:, -1:]
        scores = scores.masked_fill(scores < least, -torch.inf)
    if top_p < 1:
        ordered, order = scores.sort(-1, descending=True)
        shares = ordered.softmax(-1)
        outside = shares.cumsum(-1) - shares >= top_p
        outside[:, 0] = False  # the most likely token always stays
        scores = scores.masked_fill(outside.gather(-1, order.argsort(-1)), -torch.inf)
    return scores
