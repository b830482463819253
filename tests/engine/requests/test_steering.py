"""Grammar and penalties: what the masks say, and that async obeys them as sync does."""

import json
from collections import Counter

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import configure, execute
from engine.model.corpus import prompts
from engine.model.decoder import load_model
from engine.model.reference import hidden_states
from engine.model.sampling import steer
from engine.model.tokenizer import EOS, encode
from engine.requests.grammar import may_end, next_bytes, read
from engine.workloads.workload import Prompt, Workload

TEXTS = prompts(5, 18)
RECORDS = [text for text in TEXTS if text.startswith("{")]


def free_mask(rows):
    return torch.ones(rows, 256, dtype=torch.bool)


def test_penalties_change_the_logits_as_their_formulas_say():
    logits = torch.tensor([[2.0, -2.0, 1.0, -1.0]], dtype=torch.float64)
    history = torch.tensor([[1, 3, 0, 0]])
    penalties = torch.tensor([[0.5, 0.25, 2.0]], dtype=torch.float64)
    found = steer(logits, torch.ones(1, 4, dtype=torch.bool), history, penalties)
    assert found.tolist() == [[2.0 / 2 - 0.25 - 0.5, -2.0 * 2 - 0.75 - 0.5, 1.0, -1.0]]


def test_no_rules_leave_logits_as_they_are_and_a_mask_forbids():
    logits = torch.randn(3, 256, dtype=torch.float64, generator=torch.Generator().manual_seed(1))
    none = torch.tensor([[0.0, 0.0, 1.0]] * 3, dtype=torch.float64)
    history = torch.randint(0, 5, (3, 256), generator=torch.Generator().manual_seed(2))
    assert torch.equal(steer(logits, free_mask(3), history, none), logits)
    mask = free_mask(3)
    mask[1, 7:] = False
    assert steer(logits, mask, history, none).argmax(-1)[1] < 7


def alone(spec):
    """The spec's greedy output, decoded alone with its rules written the plain way."""
    model, ids, new = load_model(), encode(spec.prompt), []
    while len(new) < spec.max_new_tokens and new[-1:] != [EOS]:
        hidden = hidden_states(model, torch.tensor([ids + new]))
        logits = model.head(hidden, torch.tensor([len(hidden) - 1]))[0].tolist()
        for token, count in Counter(new).items():
            scaled = logits[token] * spec.repetition ** (-1 if logits[token] > 0 else 1)
            logits[token] = scaled - spec.presence - spec.frequency * count
        allowed = range(256)
        if spec.grammar:
            state = read(spec.prompt.encode() + bytes(new))
            allowed = [*next_bytes(state), *([EOS] if may_end(state) else [])]
        new.append(max(allowed, key=lambda token: logits[token]))
        if any(bytes(new).endswith(stop.encode()) for stop in spec.stop):
            break
    return new


strengths = st.sampled_from([(0.0, 0.0, 1.0), (0.0, 0.0, 1.0), (0.7, 0.2, 1.1), (-0.3, 0.0, 1.3)])
stops = st.sampled_from([(), (), (". ",), ('", "', "and"), ("e",)])


@st.composite
def specs(draw):
    grammar = draw(st.sampled_from(["", "json"]))
    text = draw(st.sampled_from(RECORDS if grammar else TEXTS))
    presence, frequency, repetition = draw(strengths)
    return Prompt(
        text, draw(st.integers(1, 24)), "", draw(st.integers(0, 9)), grammar=grammar,
        stop=draw(stops), presence=presence, frequency=frequency, repetition=repetition,
    )  # fmt: skip


mixtures = st.builds(
    lambda listed, batch, temperature: Workload(
        batch=batch, max_batched_tokens=batch + 20, temperature=temperature, requests=tuple(listed)
    ),
    st.lists(specs(), min_size=1, max_size=7),
    st.integers(1, 4),
    st.sampled_from([0.0, 1.0, 2.0]),
)

slots = st.sampled_from(["1", "2", "4"])
others = st.fixed_dictionaries(
    {
        "device_slots": slots,
        "host_slots": slots,
        "loop": st.sampled_from(["pipelined", "ready-queue"]),
        "graphs": st.sampled_from(["off", "shared"]),
        "eos_policy": st.sampled_from(["discard", "remove", "mask", "cap"]),
        "sampling": st.sampled_from(["device", "device", "host"]),
    }
)


def check_json(result, workload):
    """Every constrained text parses if it ended by itself, and else is a legal beginning."""
    for number, spec in enumerate(workload.requests):
        request = next(item for item in result.requests if item.id == spec.name(number))
        if spec.grammar:
            ended = request.tokens[-1:] == [EOS]
            data = spec.prompt.encode() + bytes(request.tokens[: -1 if ended else None])
            assert read(data) is not None
            if ended:
                json.loads(data.decode("utf-8"))


@pytest.mark.parametrize("depth", ["2", "3", "4"])
def test_any_mixture_of_rules_gives_the_tokens_of_sync(depth):
    @settings(max_examples=settings.default.max_examples // 6)
    @given(mixtures, st.integers(0, 99), others, st.integers(0, 30))
    def check(workload, seed, toggles, jitter):
        made = {"workload": workload, "seed": seed, "jitter": jitter, "cost": "cpu-bound"}
        toggles = {"depth": depth, **toggles}
        sync = execute(configure("sync", **made))
        overlapped = execute(configure("async", set=toggles, **made))
        assert {r.id: r.tokens for r in overlapped.requests} == {
            r.id: r.tokens for r in sync.requests
        }
        for result in (sync, overlapped):
            assert (result.invariants, result.hazards) == ([], [])
            check_json(result, workload)

    check()


@settings(max_examples=settings.default.max_examples // 8)
@given(mixtures)
def test_greedy_sync_equals_each_request_decoded_alone(workload):
    greedy = Workload(batch=workload.batch, max_batched_tokens=24, requests=workload.requests)
    result = execute(configure("sync", workload=greedy))
    for request, spec in zip(result.requests, sorted_specs(greedy), strict=True):
        assert request.tokens == alone(spec)


def sorted_specs(workload):
    return sorted(workload.requests, key=lambda spec: spec.arrival_step)


def test_a_json_value_ends_by_eos_as_soon_as_it_is_complete():
    workload = Workload(requests=(Prompt('{"seen": tru', 30, grammar="json"),), temperature=1.5)
    for seed in range(5):
        result = execute(configure("async", workload=workload, seed=seed))
        check_json(result, workload)
        (request,) = result.requests
        ends = [n for n in range(30) if read_output(request, n).place == "done"]
        assert request.tokens[-1] == EOS if ends else len(request.tokens) == 30
        assert ends in ([], [len(request.tokens) - 1])


def read_output(request, count):
    """Where the JSON text stands after `count` output tokens at most."""
    return read(bytes([*request.prompt[1:], *request.tokens[:count]]).rstrip(bytes([EOS])))


def test_sampling_on_the_host_obeys_the_same_rules():
    by_device = execute(configure("async", workload="records", requests=6))
    by_host = execute(configure("async", workload="records", requests=6, set={"sampling": "host"}))
    assert by_host.texts == by_device.texts
    assert by_host.invariants == []


@pytest.mark.parametrize("workload", ["records", "penalised", "stop-strings"])
def test_a_timing_only_run_takes_the_same_steps_at_the_same_cost(workload):
    timed = execute(configure("async", workload=workload, steps=12, compute=False))
    computed = execute(configure("async", workload=workload, steps=12))
    assert [op.name for op in timed.device.log] == [op.name for op in computed.device.log]
    assert timed.wall_ns == computed.wall_ns
    assert timed.invariants == []


def test_only_batches_with_rules_pay_for_them():
    free = Prompt("Pia the pilot", 6, "free")
    bound = Prompt('{"name": ', 4, "bound", 3, grammar="json")
    result = execute(configure("async", workload=Workload(requests=(free, bound))))
    masked = {op.step for op in result.device.log if op.name == "write masks"}
    rows = {op.step for op in result.device.log if op.name == "sample"}
    assert masked == {step for step in rows if step >= 3}
    assert min(rows) == 0


def test_the_forward_pass_of_a_constrained_batch_is_launched_before_the_tokens_are_there():
    log = list(execute(configure("constrained", steps=8)).device.log)
    order = {(op.name, op.step): op.seq for op in log}
    for step in range(1, 8):
        read_at, last_layer = order["read outputs", step - 1], order["head", step]
        assert last_layer < read_at < order["write masks", step] < order["sample", step]


@pytest.mark.parametrize("off", ["wait_h2d", "reuse_host_input"])
def test_masks_have_edges_of_their_own(off):
    """With stale grammar nothing waits for tokens: the edges alone protect the masks."""
    toggles = {"grammar": "stale", "depth": "3", "device_slots": "3", "host_slots": "1"}
    made = {"workload": "records", "steps": 12, "compute": False}
    guarded = execute(configure("async", set=toggles, **made))
    assert guarded.hazards == []
    bare = execute(configure("async", set={**toggles, off: "off"}, **made))
    assert "mask" in {label for hazard in bare.hazards for label in hazard.labels}
