"""The article's four moves (filter, zero, truncate, add), with the placeholder zeroed first."""


def carry_over(ids, source, sampled):
    carried = (source >= 0).long()
    tokens = sampled.take(source * carried) * carried
    return ids * (1 - carried) + tokens


wrong_arrow = "forward 0 -> carry 2"
