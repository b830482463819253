"""From the deepest upwards: whoever is as good and shallower takes its place."""


def choose_depth(measure, limits):
    def good(depth):
        found = measure(depth)
        late = found.cancel_ms > limits.cancel_ms
        full = found.tokens_in_flight > limits.tokens_in_flight
        return 0.0 if late or full else found.tokens_per_s

    speed = [good(depth) for depth in (6, 5, 4, 3, 2, 1)]
    fast_enough = [number for number, s in enumerate(speed) if s >= max(speed) * 0.98]
    return 6 - fast_enough[-1]
