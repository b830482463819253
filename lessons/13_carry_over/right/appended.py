"""Every row finds its token in one long tensor: the sampled ones, then the known ids."""

import torch


def carry_over(ids, source, sampled):
    everything = torch.cat([sampled, ids])
    own_place = torch.arange(len(ids)) + len(sampled)
    return torch.gather(everything, 0, torch.where(source < 0, own_place, source))


wrong_arrow = "forward 0 -> carry 2"
