"""The decoder written the plain way, as the yardstick for everything the engine does.

One prompt alone, no cache, no blocks, no chunks: the whole text is computed again for
every token. Training runs the same pass over whole texts, so both use one definition of
the mathematics and differ from the engine's layer only in how attention finds its keys.

What this module does not do: be fast.
"""

from collections.abc import Sequence

import torch
import torch.nn.functional as F
from torch import Tensor

from engine.model.decoder import Model, greedy
from engine.model.tokenizer import EOS


def hidden_states(model: Model, tokens: Tensor) -> Tensor:
    """[B, L] int64 tokens of B texts -> [B * L, D] last hidden states, each text on its own."""
    n_texts, length = tokens.shape
    positions = torch.arange(length).repeat(n_texts)
    hidden = model.embed(tokens.flatten())
    groups = model.config.n_heads, model.config.n_kv_heads, model.config.n_kv_heads
    for index in range(model.config.n_layers):
        heads = model.project(index, hidden, positions).unflatten(0, (n_texts, length))
        q, k, v = heads.transpose(1, 2).split(groups, 1)
        attended = F.scaled_dot_product_attention(
            q, k, v, is_causal=True, scale=1.0, enable_gqa=True
        )
        hidden = model.finish(index, hidden, attended.transpose(1, 2).reshape(len(hidden), -1))
    return hidden


@torch.no_grad()
def decode(model: Model, prompt_ids: Sequence[int], max_new_tokens: int) -> list[int]:
    """The greedy continuation of one prompt; an EOS ends it and is its last token.

    Raises ValueError for an empty prompt and for more positions than the model has.
    """
    ids, limit = list(prompt_ids), model.config.max_positions
    if not ids:
        raise ValueError("The prompt has no tokens; a prompt starts with the BOS token.")
    if len(ids) + max_new_tokens > limit:
        raise ValueError(
            f"{len(ids)} prompt tokens and {max_new_tokens} new ones exceed the model's {limit} "
            "positions; shorten the prompt or ask for fewer tokens."
        )
    new: list[int] = []
    while len(new) < max_new_tokens and new[-1:] != [EOS]:
        hidden = hidden_states(model, torch.tensor([ids + new]))
        new.append(int(greedy(model.head(hidden, torch.tensor([len(hidden) - 1])))[0]))
    return new
