"""Two, or three where the device is not kept busy: the loop through the host needs neither."""


def choose_depth(measure, limits):
    three = measure(3)
    better = three.tokens_per_s > 1.02 * measure(2).tokens_per_s
    return 3 if better and three.cancel_ms <= limits.cancel_ms else 2
