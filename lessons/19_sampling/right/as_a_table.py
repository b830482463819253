"""The order as data."""

ORDER = ("launch_forward", "settle", "read_grammar", "copy_masks", "launch_sampling")


def launch_step(step):
    for move in ORDER:
        getattr(step, move)()
