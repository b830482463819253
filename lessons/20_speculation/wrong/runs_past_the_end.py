"""Neither EOS nor the longest length ends a row."""


def accepted(drafts, sampled):
    """How many drafts of each row count [R]."""
    agree = drafts == sampled[:, :-1]
    return agree.long().cumprod(1).sum(1)


def settle(request, sampled, accepted):
    """Commit what counts, and take back what was reserved for more."""
    for token in sampled[: accepted + 1]:
        request.tokens.append(token)
        request.follow(token)
    positions = request.prompt_length + len(request.tokens) + request.in_flight - 1
    del request.blocks[-(-positions // request.block_size) :]
