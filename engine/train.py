"""Train the small model on generated text: `python -m engine.train`.

Seeded: the batch of a step depends on the seed and the step alone, so a run that was
stopped goes on from its checkpoint as if nothing had happened. Ends by writing the
weights and printing the loss on unseen texts and three continuations.

What this module does not do: generate the text (`engine.model.corpus`) or define the model
(`engine.model.decoder`, `engine.model.reference`).
"""

import argparse
import math
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from itertools import islice
from pathlib import Path
from random import Random

import torch
import torch.nn.functional as F
from torch import Tensor
from torch.optim import AdamW, Optimizer
from tqdm import tqdm

from engine.model.corpus import prompts, texts
from engine.model.decoder import Model
from engine.model.muon import Muon
from engine.model.reference import decode, hidden_states
from engine.model.tokenizer import EOS, PLACEHOLDER, encode
from engine.model.tokenizer import decode as to_text
from engine.model.weights import DEFAULT_PATH, ModelConfig, assemble, random_matrices, save

CHECKPOINT = Path(".train") / "checkpoint.pt"

_BATCHES_A_DRAW = 16
_WARMUP_STEPS = 60
_UNSEEN_SEED = 1_000_000_007
_SHOWN_TOKENS = 300


@dataclass(frozen=True)
class Settings:
    """What decides the outcome of a training run; a checkpoint is only used with its own."""

    steps: int = 1_100
    batch: int = 16
    seed: int = 0
    learning_rate: float = 0.012
    config: ModelConfig = field(default_factory=ModelConfig)


def batch_at(step: int, settings: Settings) -> Tensor:
    """[batch, length] tokens of the texts of one step, `PLACEHOLDER` behind the shorter ones."""
    draw, index = divmod(step, _BATCHES_A_DRAW)
    return _draw(draw, settings.seed, settings.batch)[index]


@lru_cache(maxsize=2)
def _draw(draw: int, seed: int, batch: int) -> list[Tensor]:
    """Batches of texts of similar length, so that little is padding, in random order."""
    source = seed * 1_000_003 + draw
    ids = [[*encode(text), EOS] for text in islice(texts(source), _BATCHES_A_DRAW * batch)]
    ids.sort(key=len)
    batches = [_pad(ids[i : i + batch]) for i in range(0, len(ids), batch)]
    Random(source).shuffle(batches)
    return batches


def _pad(ids: list[list[int]]) -> Tensor:
    length = max(map(len, ids))
    return torch.tensor([row + [PLACEHOLDER] * (length - len(row)) for row in ids])


def loss_of(model: Model, tokens: Tensor) -> Tensor:
    """The mean cross entropy, in nats a byte, of every next token that is not padding."""
    hidden = hidden_states(model, tokens[:, :-1])
    logits = model.head(hidden, torch.arange(len(hidden)))
    return F.cross_entropy(logits, tokens[:, 1:].flatten(), ignore_index=PLACEHOLDER)


def rate_at(step: int, settings: Settings) -> float:
    """The learning rate: a short linear rise, then half a cosine down to nearly nothing."""
    rise = min(1.0, (step + 1) / _WARMUP_STEPS)
    return settings.learning_rate * rise * (0.51 + 0.49 * math.cos(math.pi * step / settings.steps))


def train(
    settings: Settings,
    checkpoint: Path,
    note: Callable[[int, float], None],
    checkpoint_every: int = 100,
) -> dict[str, Tensor]:
    """The trained matrices by name; goes on from `checkpoint` when it belongs to `settings`.

    `note` hears of each step that is done: how many there are by now, and the loss of this one.
    """
    matrices = random_matrices(settings.config, settings.seed)
    for matrix in matrices.values():
        matrix.requires_grad_()
    optimizers = _optimizers(matrices)
    first = _restore(checkpoint, settings, matrices, optimizers)
    model = Model(settings.config, assemble(settings.config, matrices), torch.float32)
    for step in range(first, settings.steps):
        loss = loss_of(model, batch_at(step, settings))
        loss.backward()
        torch.nn.utils.clip_grad_norm_(matrices.values(), 1.0)
        for optimizer in optimizers:
            optimizer.param_groups[0]["lr"] = rate_at(step, settings)
            optimizer.step()
            optimizer.zero_grad()
        done = step + 1
        if done % checkpoint_every == 0 or done == settings.steps:
            _keep(checkpoint, settings, done, matrices, optimizers)
        note(done, float(loss.detach()))
    return matrices


def _optimizers(matrices: dict[str, Tensor]) -> tuple[Optimizer, ...]:
    """Muon for the matrices of the layers, AdamW for the two whose rows or columns are tokens.

    Muon's steps are scaled to the size of AdamW's, so both follow one learning rate.
    """
    layers = [matrix for name, matrix in matrices.items() if name.startswith("layers.")]
    ends = [matrices["embed"], matrices["head"]]
    return (
        Muon(layers),
        AdamW(ends, betas=(0.9, 0.95), weight_decay=0.01),
    )


def _keep(
    path: Path,
    settings: Settings,
    step: int,
    matrices: dict[str, Tensor],
    optimizers: tuple[Optimizer, ...],
) -> None:
    """Write a checkpoint beside the old one and swap them, so that a crash spoils neither."""
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_suffix(".new")
    state = {
        "settings": asdict(settings),
        "step": step,
        "matrices": {name: matrix.detach() for name, matrix in matrices.items()},
        "optimizers": [optimizer.state_dict() for optimizer in optimizers],
    }
    torch.save(state, fresh)
    fresh.replace(path)


def _restore(
    path: Path,
    settings: Settings,
    matrices: dict[str, Tensor],
    optimizers: tuple[Optimizer, ...],
) -> int:
    """Load a checkpoint of the same settings in place; the number of steps it has behind it.

    Raises ValueError when the file is damaged.
    """
    if not path.is_file():
        return 0
    try:
        state = torch.load(path, weights_only=True)
    except Exception:  # a damaged pickle may raise anything
        raise ValueError(f"{path} cannot be read; start anew with --fresh.") from None
    if state["settings"] != asdict(settings):
        return 0
    with torch.no_grad():
        for name, matrix in matrices.items():
            matrix.copy_(state["matrices"][name])
    for optimizer, kept in zip(optimizers, state["optimizers"], strict=True):
        optimizer.load_state_dict(kept)
    return int(state["step"])


@torch.no_grad()
def report(settings: Settings, matrices: dict[str, Tensor]) -> str:
    """The loss on unseen texts and how three prompts go on, for a person to read."""
    model = Model(settings.config, assemble(settings.config, matrices))
    unseen = _draw(0, _UNSEEN_SEED, settings.batch)
    loss = sum(float(loss_of(model, batch)) for batch in unseen) / len(unseen)
    lines = [f"loss on unseen text: {loss:.4f} nats a byte"]
    for prompt in prompts(settings.seed, 3):
        lines.append(f"{prompt}|{to_text(decode(model, encode(prompt), _SHOWN_TOKENS))}")
    return "\n".join(lines)


def _train_with_a_bar(settings: Settings, checkpoint: Path) -> dict[str, Tensor]:
    with tqdm(total=settings.steps, unit="step") as bar:

        def note(done: int, loss: float) -> None:
            bar.set_postfix(loss=f"{loss:.3f}", refresh=False)
            bar.update(done - bar.n)

        return train(settings, checkpoint, note)


def main(arguments: list[str] | None = None) -> None:
    """The command line: train, write the weights, show what they can do."""
    defaults = Settings()
    parser = argparse.ArgumentParser(prog="python -m engine.train", description="Train the model.")
    parser.add_argument("--steps", type=int, default=defaults.steps)
    parser.add_argument("--batch", type=int, default=defaults.batch, help="texts a step")
    parser.add_argument("--seed", type=int, default=defaults.seed)
    parser.add_argument("--out", type=Path, default=DEFAULT_PATH, help="where the weights go")
    parser.add_argument("--checkpoint", type=Path, default=CHECKPOINT)
    parser.add_argument("--fresh", action="store_true", help="do not go on from the checkpoint")
    chosen = parser.parse_args(arguments)
    for name in ("steps", "batch"):
        if getattr(chosen, name) < 1:
            parser.error(f"--{name} must be at least 1")
    if chosen.fresh:
        chosen.checkpoint.unlink(missing_ok=True)
    settings = Settings(chosen.steps, chosen.batch, chosen.seed)
    try:
        matrices = _train_with_a_bar(settings, chosen.checkpoint)
    except KeyboardInterrupt:
        parser.exit(130, "Stopped; the same command goes on from the last checkpoint.\n")
    except ValueError as error:
        parser.error(str(error))
    save(chosen.out, settings.config, matrices)
    print(f"weights: {chosen.out}")
    print(report(settings, matrices))


if __name__ == "__main__":
    main()
