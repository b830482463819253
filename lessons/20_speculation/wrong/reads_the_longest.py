"""A loop up to the longest count: somebody has to know it."""

from engine.model.tokenizer import EOS


def accepted(drafts, sampled):
    """How many drafts of each row count [R]."""
    agree = drafts == sampled[:, :-1]
    count = agree[:, 0].long()
    place = 1
    while place < drafts.shape[1] and (count == place).any().item():
        count = count + ((count == place) & agree[:, place])
        place += 1
    return count


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
