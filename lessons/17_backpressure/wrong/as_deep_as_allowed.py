"""As deep as the limits allow."""


def choose_depth(measure, limits):
    def allowed(depth):
        found = measure(depth)
        full = found.tokens_in_flight > limits.tokens_in_flight
        return not full and found.cancel_ms <= limits.cancel_ms

    return max(filter(allowed, range(1, 7)))
