"""The device is waited for, and the host counts."""

import torch

from engine.model.tokenizer import EOS


def accepted(drafts, sampled):
    """How many drafts of each row count [R]."""
    if torch.accelerator.is_available():
        torch.accelerator.synchronize()
    counts = []
    for guessed, chosen in zip(drafts.tolist(), sampled.tolist(), strict=True):
        count = 0
        while count < len(guessed) and guessed[count] == chosen[count]:
            count += 1
        counts.append(count)
    return torch.tensor(counts)


def settle(request, sampled, accepted):
    """Commit what counts, and take back what was reserved for more."""
    for token in sampled[: accepted + 1]:
        if len(request.tokens) == request.max_new_tokens:
            break
        request.tokens.append(token)
        request.follow(token)
        if token == EOS:
            break
    positions = request.prompt_length + len(request.tokens) + request.in_flight - 1
    del request.blocks[-(-positions // request.block_size) :]
