"""Puts an engine together on a device: streams, pool, slots, scheduler, forward pass, books.

What this module does not do: run it (`engine.loop`), settle its results (`engine.parts`).
"""

import torch

from engine.device.api import Device
from engine.device.faults import Fault
from engine.forward import make_forward
from engine.graphs import make_graphs
from engine.kv.pool import BlockPool, blocks_for
from engine.kv.swap import make_swapper
from engine.mechanisms.table import Mechanisms
from engine.model.decoder import Model
from engine.model.sampling import make_sampler
from engine.model.weights import ModelConfig
from engine.parts import Listener, Parts, Stop, never
from engine.recovery import Recovery
from engine.requests.lengths import late_rows
from engine.requests.steering import Steering
from engine.scheduler import Scheduler
from engine.slots import make_slots
from engine.speculation import Speculation, most_drafts
from engine.streams import make_streams
from engine.workloads.workload import Workload


def build_parts(
    device: Device,
    mechanisms: Mechanisms,
    workload: Workload,
    model: Model | None,
    config: ModelConfig,
    *,
    seed: int,
    requests: int | None,
    endless: bool,
    listener: Listener | None = None,
    fault: Fault | None = None,
    stop: Stop = never,
) -> Parts:
    """Put an engine together on a device. `model` is None in a timing-only run.

    Raises WorkloadError when a request can never fit.
    """
    h2d, compute, d2h = make_streams(device, mechanisms)
    pool = BlockPool(workload.kv_blocks, workload.block_size, seed)
    blocks = blocks_for(workload.longest_request + late_rows(mechanisms), workload.block_size)
    logits_out = config.vocab if mechanisms.sampling == "host" else 0
    drafts = most_drafts(workload, mechanisms)
    slots = make_slots(
        device, workload, mechanisms.device_slots, mechanisms.host_slots, blocks,
        steered=workload.steers_any,
        pinned=mechanisms.memory == "pinned", logits_out=logits_out,
        graphs=mechanisms.graphs != "off", drafts=drafts,
    )  # fmt: skip
    in_flight = max(mechanisms.depth, mechanisms.device_slots) + 1
    large = mechanisms.carry_ring == "large"
    ring_rows = workload.batch * in_flight if large else max(1, workload.batch // 2)
    source = workload.requests_for(seed, requests, endless)
    scheduler = Scheduler(workload, mechanisms, source, pool, ring_rows, drafts)
    sampler = make_sampler(workload, mechanisms.rng, seed)
    forward = make_forward(
        device, model, config, slots, workload, sampler, mechanisms.carry, ring_rows,
        mask_ended=mechanisms.eos_policy == "mask", drafts=drafts,
    )  # fmt: skip
    if workload.preemption == "swap":
        scheduler.life.swapper = make_swapper(device, h2d, d2h, forward.kv)
    scratch = device.buffer(
        "host scratch", "scratch", slots.out_shape, on_host=True,
        dtype=torch.float64 if logits_out else torch.int64,
    )  # fmt: skip
    ledger = scheduler.blocks.ledger
    steering = Steering(mechanisms, ledger, workload.steers_any, model is not None, 1 + drafts)
    graphs = make_graphs(device, mechanisms, forward, ledger, config, logits_out)
    speculation = None
    if drafts:
        speculation = Speculation(workload, mechanisms, ledger, model is not None)
    return Parts(
        device, mechanisms, workload, model, scheduler, pool, ledger, slots, forward,
        h2d, compute, d2h, scratch, steering, Recovery(scheduler, fault), graphs, listener,
        speculation, stop,
    )  # fmt: skip
