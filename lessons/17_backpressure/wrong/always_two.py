"""What most engines have."""


def choose_depth(measure, limits):
    return 2
