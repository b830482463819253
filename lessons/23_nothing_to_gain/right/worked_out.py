"""The same, worked out instead of judged by eye."""


def verdict(host, gpu, may_run_ahead=True):
    """What overlap saves of the synchronous time, in words."""
    saved = min(gpu, host) / (host + gpu) if may_run_ahead else 0.0
    return "pays" if saved >= 0.1 else "little" if saved > 0.005 else "nothing"


chat_8b = verdict(6, 18)
long_context = verdict(8, 240)
drafter = verdict(9, 0.4)
host_processor = verdict(8, 20, may_run_ahead=False)
json_grammar = verdict(8, 20)
quiet_night = verdict(0, 0.001)
most_percent = 100 * max(min(gpu, 10) / (gpu + 10) for gpu in range(1, 100))
