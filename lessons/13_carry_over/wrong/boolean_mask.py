"""A boolean mask picks a number of rows that only the device knows."""


def carry_over(ids, source, sampled):
    result = ids.clone()
    mask = source >= 0
    result[mask] = sampled[source[mask]]
    return result
