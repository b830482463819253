"""A running "and" over the drafts; the blocks that stay are counted with a ceiling."""

from math import ceil

import torch

from engine.model.tokenizer import EOS


def accepted(drafts, sampled):
    so_far = torch.ones(len(drafts), dtype=torch.bool)
    count = torch.zeros(len(drafts), dtype=torch.int64)
    for place in range(drafts.shape[1]):
        so_far = so_far & (drafts[:, place] == sampled[:, place])
        count = count + so_far
    return count


def settle(request, sampled, accepted):
    number = 0
    while number <= accepted and len(request.tokens) < request.max_new_tokens:
        token = sampled[number]
        request.tokens.append(token)
        number = accepted + 1 if token == EOS else number + 1
        request.follow(token)
    stays = request.prompt_length + len(request.tokens) + request.in_flight - 1
    request.blocks[:] = request.blocks[: ceil(stays / request.block_size)]
