"""A loop over rows: every look at a value makes the host wait."""


def carry_over(ids, source, sampled):
    result = ids.clone()
    for row in range(len(ids)):
        if source[row].item() >= 0:
            result[row] = sampled[source[row]]
    return result
