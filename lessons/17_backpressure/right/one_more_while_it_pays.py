"""Go deeper by one as long as that is allowed and brings at least 2 %."""


def choose_depth(measure, limits):
    depth, here = 1, measure(1)
    while depth < 6:
        deeper = measure(depth + 1)
        if deeper.cancel_ms > limits.cancel_ms:
            break
        if deeper.tokens_in_flight > limits.tokens_in_flight:
            break
        if deeper.tokens_per_s < 1.02 * here.tokens_per_s:
            break
        depth, here = depth + 1, deeper
    return depth
