"""The forward pass as kernels: what each reads, writes and computes."""

import pytest
import torch
from msgspec.structs import replace

from engine.batch import new_batch
from engine.forward import make_forward
from engine.model.decoder import Model
from engine.model.reference import decode
from engine.model.sampling import Sampler
from engine.model.tokenizer import EOS
from engine.model.weights import ModelConfig, assemble, random_matrices
from engine.oplog import row_mask, rows_mask
from engine.requests.request import Request, Row
from engine.slots import input_values, make_slots
from engine.workloads.workload import Workload
from tests.engine.device.bench import virtual

CONFIG = ModelConfig(n_layers=2, dim=16, n_heads=2, n_kv_heads=1, head_dim=8, ff_dim=24)
MODEL = Model(CONFIG, assemble(CONFIG, random_matrices(CONFIG, seed=5)))
WORK = Workload(batch=3, max_batched_tokens=16, block_size=4, kv_blocks=12)
RING = 9
FAMILIES = ["carry", "embed", "layer", "layer", "head", "sample"]


class Bench:
    """A forward pass with its slots on a device, and batches made by hand."""

    def __init__(self, model=MODEL, carry="select", logits_out=0, mask_ended=False):
        self.device = virtual(compute=model is not None)
        self.stream = self.device.stream("compute")
        self.slots = make_slots(
            self.device, WORK, 2, 2, 6, pinned=True, logits_out=logits_out
        )  # fmt: skip
        self.forward = make_forward(
            self.device, model, CONFIG, self.slots, WORK, Sampler(), carry, RING,
            mask_ended=mask_ended,
        )  # fmt: skip

    def batch(self, *rows, step=0):
        """The batch, its inputs already in its device slot."""
        batch = new_batch(self.device, step, list(rows), 2, 2)
        slot = self.slots.device_inputs[batch.device_slot]
        for buffer, count, values in input_values(batch, slot, timing_only=False):
            buffer.tensor[:count] = torch.tensor(values)
        return batch

    def run(self, batch, ring_start=0):
        """Launch all kernels; returns the tokens in the batch's output slot."""
        for kernel in self.forward.kernels(batch, ring_start):
            self.stream.launch(kernel)
        self.device.synchronize()
        return self.slots.device_outputs[batch.device_slot].tensor[: len(batch.launched)]

    @property
    def ring(self):
        return self.forward.ring.tensor


def request(name, prompt, blocks, seed=0):
    made = Request(name, [2, *prompt.encode()], 8, seed, blocks=blocks)
    made.block_mask = rows_mask(blocks)
    return made


def prefill(item, start=0, count=None):
    count = len(item.prompt) - start if count is None else count
    last = start + count == len(item.prompt)
    return Row(item, start, count, last, item.prompt[start : start + count], -1, 0)


def step_of(item, token, output, carry=-1):
    """The decode row for output token number `output`."""
    return Row(item, len(item.prompt) + output - 1, 1, True, [token], carry, output)


A, B = ("abc", [7, 2]), ("hello there", [0, 11, 5, 3])


def test_a_step_is_carry_embed_layers_head_and_sample():
    bench = Bench()
    kernels = bench.forward.kernels(bench.batch(prefill(request("a", *A))), 0)
    assert [kernel.name for kernel in kernels] == [
        "carry", "embed", "layer 0", "layer 1", "head", "sample",
    ]  # fmt: skip
    assert [kernel.family for kernel in kernels] == FAMILIES
    assert [k.share for k in kernels if k.family == "layer"] == [(0, 2), (1, 2)]
    assert {k.tokens for k in kernels if k.family in ("carry", "embed", "layer")} == {4}


def test_kernels_name_the_rows_they_touch():
    bench = Bench()
    decoding = step_of(request("a", *A), 0, output=2, carry=5)  # position 5: its second block
    chunk = prefill(request("b", *B), start=3, count=6)  # positions 3 to 8: three blocks
    batch = bench.batch(decoding, chunk, step=1)
    touched = [
        (
            {name_of(bench, a): a.mask for a in k.reads},
            {name_of(bench, a): a.mask for a in k.writes},
        )
        for k in bench.forward.kernels(batch, ring_start=8)
    ]
    seven, two, both = row_mask(0, 7), row_mask(0, 2), rows_mask([7, 2, 0, 11, 5, 3])
    written = rows_mask([2, 0, 11, 5])
    layer = {"hidden": seven, "places 1": seven, "block_table 1": two}
    assert touched == [
        ({"tokens 1": seven, "places 1": seven, "ring": 1 << 5}, {"ids": seven}),
        ({"ids": seven}, {"hidden": seven}),
        ({**layer, "layer 0": both}, {"hidden": seven, "layer 0": written}),
        ({**layer, "layer 1": both}, {"hidden": seven, "layer 1": written}),
        ({"hidden": seven, "sampling 1": two}, {"logits": two}),
        ({"logits": two, "sampling 1": two}, {"out 1": two, "ring": rows_mask([8, 0])}),
    ]


def name_of(bench, access):
    info = bench.device.log.buffers[access.buffer]
    if info.resource == "carry ring":
        return "ring"
    return info.label if info.slot < 0 else f"{info.label} {info.slot}"


def test_a_timing_only_forward_touches_the_same_rows_and_computes_nothing():
    rows = [step_of(request("a", *A), 0, output=2, carry=5), prefill(request("b", *B), 3, 6)]
    bench, timing = Bench(), Bench(model=None)
    full = bench.forward.kernels(bench.batch(*rows), 0)
    empty = timing.forward.kernels(new_batch(timing.device, 0, rows, 2, 2), 0)
    assert [replace(kernel, body=None) for kernel in full] == empty


def test_prefill_and_decode_side_by_side_equal_decoding_each_alone():
    bench = Bench()
    a, b = request("a", *A), request("b", *B)
    truth = {item.id: decode(MODEL, item.prompt, 4) for item in (a, b)}
    got = {"a": [], "b": []}

    def run(*rows, step):
        for row, token in zip(rows, bench.run(bench.batch(*rows, step=step)), strict=True):
            if row.samples:
                got[row.request.id].append(int(token))

    run(prefill(a), prefill(b, 0, 5), step=0)
    run(step_of(a, got["a"][0], 1), prefill(b, 5), step=1)
    for output in (1, 2, 3):
        rows = [step_of(b, got["b"][-1], output)]
        if output < 3:
            rows.append(step_of(a, got["a"][-1], output + 1))
        run(*rows, step=output + 1)
    assert got == truth


def test_the_sampled_tokens_go_to_the_output_slot_and_to_the_ring():
    bench = Bench()
    tokens = bench.run(
        bench.batch(prefill(request("a", *A)), prefill(request("b", *B))), ring_start=8
    )
    assert bench.ring[[8, 0]].tolist() == tokens.tolist()


@pytest.mark.parametrize(
    ("carry", "placeholder", "expected"),
    [("select", 0, 40), ("select", 9, 40), ("add", 0, 40), ("add-stale", 9, 49), ("none", 0, 40)],
)
def test_a_carried_token_is_selected_or_added_on_the_device(carry, placeholder, expected):
    bench = Bench(carry=carry)
    bench.ring[5] = 40
    carried = step_of(request("a", *A), placeholder, output=1, carry=5)
    known = step_of(request("b", *B), 77, output=1)
    bench.run(bench.batch(carried, known))
    assert bench.forward.ids.tensor[:2].tolist() == [expected, 77]


def test_a_carried_step_equals_one_through_the_host():
    through_host, carried = Bench(), Bench()
    for bench in (through_host, carried):
        bench.run(bench.batch(prefill(request("a", *A))), ring_start=4)
    token = int(carried.ring[4])
    step = through_host.batch(step_of(request("a", *A), token, 1), step=1)
    other = carried.batch(step_of(request("a", *A), 0, 1, carry=4), step=1)
    assert through_host.run(step).tolist() == carried.run(other).tolist()


def test_where_the_host_samples_the_logits_are_the_output():
    plain, host = Bench(), Bench(logits_out=CONFIG.vocab)
    tokens = plain.run(plain.batch(prefill(request("a", *A))))
    logits = host.run(host.batch(prefill(request("a", *A))))
    assert logits.shape == (1, CONFIG.vocab)
    assert logits.argmax(-1).tolist() == tokens.tolist()


def test_kernels_compute_from_device_memory_not_from_the_batch():
    bench = Bench()
    right = bench.run(bench.batch(prefill(request("a", *A)))).tolist()
    batch = bench.batch(prefill(request("a", *A)))
    bench.slots.device_inputs[0].buffers["tokens"].tensor[:4] = torch.tensor([2, 120, 121, 122])
    assert bench.run(batch).tolist() == decode(MODEL, [2, 120, 121, 122], 1) != right


@pytest.mark.parametrize("label", ["tokens", "places", "sampling", "block_table"])
def test_garbage_in_device_memory_computes_something_and_raises_nothing(label):
    bench = Bench()
    batch = bench.batch(prefill(request("a", *A)), prefill(request("b", *B)))
    bench.slots.device_inputs[0].buffers[label].tensor.fill_(-(10**12))
    low = bench.run(batch).clone()
    bench.slots.device_inputs[0].buffers[label].tensor.fill_(10**12)
    high = bench.run(batch)
    assert all(0 <= int(token) < CONFIG.vocab for token in [*low, *high])


# ------------------------------------------------------- rows that have ended


def kv_of(bench, blocks):
    return [pool.tensor[blocks].clone() for pool in bench.forward.kv]


@pytest.mark.parametrize("mask_ended", [False, True])
def test_a_masked_row_whose_token_is_eos_writes_no_kv_and_samples_eos_again(mask_ended):
    bench = Bench(mask_ended=mask_ended)
    ended, living = request("a", *A), request("b", *B)
    bench.run(bench.batch(prefill(ended), prefill(living)))
    before = kv_of(bench, A[1])
    bench.ring[5] = EOS
    batch = bench.batch(step_of(ended, 0, 1, carry=5), step_of(living, 9, 1), step=1)
    tokens = bench.run(batch, ring_start=3)
    same = all(map(torch.equal, before, kv_of(bench, A[1])))
    assert (same, tokens[0].item() == EOS) == (mask_ended, mask_ended)
    assert bench.ring[3:5].tolist() == tokens.tolist()


def test_a_mask_changes_nothing_for_the_rows_beside_it():
    tokens, caches = [], []
    for mask_ended in (False, True):
        bench = Bench(mask_ended=mask_ended)
        ended, living = request("a", *A), request("b", *B)
        bench.run(bench.batch(prefill(ended), prefill(living)))
        batch = bench.batch(step_of(ended, EOS, 1), step_of(living, 9, 1), step=1)
        tokens.append(bench.run(batch, ring_start=3)[1].item())
        caches.append(kv_of(bench, B[1]))
    assert tokens[0] == tokens[1]
    assert all(map(torch.equal, *caches))


def test_a_mask_reads_the_tokens_in_every_kernel_that_needs_them():
    bench = Bench(mask_ended=True)
    kernels = bench.forward.kernels(bench.batch(prefill(request("a", *A))), 0)
    reading = {
        k.name for k in kernels if "ids" in {name_of(bench, access) for access in k.reads}
    }  # fmt: skip
    assert reading == {"embed", "layer 0", "layer 1", "sample"}
