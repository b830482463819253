"""Select: where there is a source take its token, elsewhere keep the id."""

import torch


def carry_over(ids, source, sampled):
    token = sampled[source.clamp(min=0)]
    return torch.where(source >= 0, token, ids)


wrong_arrow = "forward 0 -> carry 2"
