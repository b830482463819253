"""The first mismatch by its place; blocks are given back one by one."""

import torch

from engine.model.tokenizer import EOS


def accepted(drafts, sampled):
    rows, k = drafts.shape
    wrong = torch.cat((drafts != sampled[:, :k], torch.ones(rows, 1, dtype=torch.bool)), 1)
    return wrong.long().argmax(1)


def settle(request, sampled, accepted):
    room = request.max_new_tokens - len(request.tokens)
    counts = sampled[: min(accepted + 1, room)]
    if EOS in counts:
        counts = counts[: counts.index(EOS) + 1]
    request.tokens.extend(counts)
    for token in counts:
        request.follow(token)
    needed = request.prompt_length + len(request.tokens) - 1 + request.in_flight
    while (len(request.blocks) - 1) * request.block_size >= needed:
        request.blocks.pop()
