"""Measure all that is allowed; of those that are fast enough take the shallowest."""


def choose_depth(measure, limits):
    allowed = {}
    for depth in range(1, 7):
        found = measure(depth)
        in_time = found.cancel_ms <= limits.cancel_ms
        if in_time and found.tokens_in_flight <= limits.tokens_in_flight:
            allowed[depth] = found.tokens_per_s
    best = max(allowed.values())
    return min(depth for depth, speed in allowed.items() if speed >= 0.98 * best)
