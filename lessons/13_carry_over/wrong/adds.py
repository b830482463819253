"""The addition without a look at the placeholder."""


def carry_over(ids, source, sampled):
    mask = source >= 0
    return ids + sampled[source.clamp(min=0)] * mask
