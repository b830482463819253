"""Only throughput counts; the limits are not looked at."""


def choose_depth(measure, limits):
    speed = {depth: measure(depth).tokens_per_s for depth in range(1, 7)}
    return min(depth for depth in speed if speed[depth] >= 0.98 * max(speed.values()))
