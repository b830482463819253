"""Random scenarios in which everything happens at once, and what must hold in each.

    python -m tests.engine.scenarios --count 20000 --jobs 2

A scenario is made from its number alone, so one that fails can be looked at again:

    python -m tests.engine.scenarios --only 4711

Arrivals, lengths, shared prefixes, cancels, preemptions, swaps, drafts, grammars, stop strings,
faults, graphs and windows meet depth 1 to 4, 1 to 5 slots, both loops and jittered times. What
must hold is the same for all: the tokens of the synchronous run for every request that was not
cancelled and did not fail, no hazard, no broken invariant (the ledger sees every settled batch:
the order of the three lengths, one writer a block, each released once, streamed is committed,
the pool whole at the end).
"""

import argparse
import sys
from collections import Counter
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from random import Random

from tqdm import tqdm

from engine import Run, configure, execute
from engine.config import RunConfig
from engine.device.cost import MS, CostModel
from engine.kv.pool import blocks_for
from engine.model.corpus import prompts
from engine.model.tokenizer import encode
from engine.workloads.workload import Prompt, Workload

TEXTS = tuple(text[:14] for text in prompts(3, 12) if not text.startswith("{"))
RECORDS = ('{"name": "', '{"owner": "Pia", "thing": "', '{"a": [1, ')
REPEATING = "one two one two one two "
COMMON = "Long ago there was "
LONGEST = 12

TOGGLES = {
    "streams": ("three", "three", "two-copies", "two-h2d", "two-d2h", "one", "default"),
    "memory": ("pinned", "pinned", "pageable"),
    "carry": ("select", "select", "add", "host"),
    "sampling": ("device", "device", "device", "host"),
    "sync_d2h": ("event", "event", "device"),
    "eos_policy": ("discard", "discard", "remove", "mask", "cap"),
    "length_check": ("ahead", "ahead", "late"),
    "loop": ("pipelined", "ready-queue"),
    "graphs": ("off", "shared", "private"),
    "graph_output": ("outside", "outside", "inside"),
    "graph_concurrency": ("serial", "serial", "at-once"),
    "output_memory": ("static", "temporary"),
    "batching": ("continuous",) * 7 + ("static",),
    "reserve": ("counts-in-flight", "ignores", "ignores"),
}
"""Values between which a correct engine may choose; the more often named, the likelier."""


def scenario(number: int) -> RunConfig:
    """The scenario of that number."""
    random = Random(f"scenario {number}")
    toggles = {name: random.choice(values) for name, values in TOGGLES.items()}
    toggles |= {
        "depth": str(random.choice((1, 2, 3, 3, 4, 4))),
        "device_slots": str(random.randint(1, 5)),
        "host_slots": str(random.randint(1, 5)),
        "inject": random.choice(("none",) * 22 + ("kernel", "copy", "host")),
        "on_fault": random.choice(("fail", "retry")),
    }
    if toggles["graphs"] == "shared":  # one pool: nothing else may be in it at the same time
        toggles |= {"graph_concurrency": "serial", "graph_output": "outside"}
    if toggles["graph_concurrency"] == "at-once":  # the results of two graphs lie side by side
        toggles |= {"graph_output": "outside"}
    return configure(
        "async", set=toggles, workload=_workload(random), cost=_cost(random), seed=number,
        jitter=random.choice((0, 0, 10, 30)),
    )  # fmt: skip


def _workload(random: Random) -> Workload:
    batch, block_size = random.choice((1, 2, 3, 3, 4, 5)), random.choice((2, 4, 8))
    listed = tuple(_prompt(random, number) for number in range(random.randint(3, 7)))
    needed = max(
        blocks_for(len(encode(p.prompt)) + p.max_new_tokens + 4, block_size) for p in listed
    )
    on_demand = random.random() < 0.8
    room = needed + needed // 10 if on_demand else needed * min(batch, 3)
    work = Workload(
        batch=batch,
        max_batched_tokens=random.randint(batch, batch + 12),
        block_size=block_size,
        kv_blocks=random.randint(needed, room),
        requests=listed,
        prefix_cache=random.random() < 0.5,
        admission="on-demand" if on_demand else "full",
        preemption=random.choice(("recompute", "swap")),
        window=random.choice((0, 0, 0, 0, 7, 24)),
        speculate=random.choice((0, 0, 0, 1, 3)),
        fault_step=random.randint(1, 30),
        temperature=random.choice((0.0, 0.0, 0.8)),
        top_k=random.choice((0, 20)),
    )
    least = batch * (1 + work.speculate)
    return replace(work, max_batched_tokens=max(work.max_batched_tokens, least))


def _prompt(random: Random, number: int) -> Prompt:
    kind = random.random()
    grammar = kind < 0.2
    if grammar:
        text = random.choice(RECORDS)
    elif kind < 0.3:
        text = REPEATING
    else:
        text = COMMON * (random.random() < 0.5) + random.choice(TEXTS)
    return Prompt(
        text,
        random.randint(LONGEST // 2, LONGEST) if random.random() < 0.8 else random.randint(1, 6),
        f"q{number}",
        random.choice((0, 0, 0, 2, 5, 9)),
        cancel_step=random.choice((0, 0, 0, 0, 0, 1, 6, 12)),
        grammar="json" if grammar else "",
        stop=random.choice(((), (), (), (" the",), ("e", "n a"))) if not grammar else (),
        presence=random.choice((0.0, 0.0, 0.0, 2.0)),
    )


def _cost(random: Random) -> CostModel:
    """Any device may be the slow one, so that every stream gets to overtake another."""
    host, kernels, copies = (random.choice((0, MS // 10, MS, 8 * MS)) for _ in range(3))
    return CostModel(
        host_ns=dict.fromkeys(("schedule", "allocate", "update inputs", "update state"), host),
        kernel_ns=dict.fromkeys(("carry", "embed", "layer", "head", "sample"), kernels),
        h2d_ns=copies,
        d2h_ns=random.choice((0, copies)),
        kv_block_ns=random.choice((0, MS)),
        launch_ns=random.choice((0, 5_000)),
        chunks=random.randint(1, 4),
        copy_engines=random.randint(1, 2),
    )


def features(result: Run) -> set[str]:
    """What happened in a run, beside its being correct."""
    parts, config = result.parts, result.config
    m, requests = config.mechanisms, result.requests
    scheduler, drafts = parts.scheduler, parts.speculation
    names = {op.name for op in result.device.log}
    seen = {
        "depth 1": m.depth == 1,
        "depth above slots": m.depth > min(m.device_slots, m.host_slots),
        "arrivals": any(request.arrival_step for request in requests),
        "chunked prompt": any(r.prefilled > config.workload.max_batched_tokens for r in requests),
        "prefix hit": scheduler.blocks.reused > 0,
        "cancel": any(r.cancelled and r.scheduled for r in requests),
        "preemption": scheduler.preemption.count > 0,
        "swap in": "h2d layer 0" in names,
        "called off": any(r.called_off for r in requests),
        "window": config.workload.window > 0,
        "drafts": drafts is not None and drafts.proposed > 0,
        "drafts rejected": drafts is not None and drafts.accepted < drafts.proposed,
        "drafts accepted": drafts is not None and drafts.accepted > 0,
        "fault": bool(result.errors),
        "grammar": any(r.rules.grammar and r.tokens for r in requests),
        "stop string": any(r.text_end is not None for r in requests),
        "penalties": any(r.rules.penalises and r.tokens for r in requests),
        "temperature": config.workload.temperature > 0,
        "end of text": any(r.tokens and len(r.tokens) < r.max_new_tokens for r in requests),
        "wasted row": parts.ledger.wasted_rows > 0,
        "graph replay": any(op.replay >= 0 for op in result.device.log),
        "ready queue": m.loop == "ready-queue" and m.depth > 1,
        "static batching": m.batching == "static",
        "jitter": config.jitter_percent > 0,
    }
    return {name for name, happened in seen.items() if happened}


def faults_in(number: int) -> tuple[set[str], list[str]]:
    """What happened in a scenario, and which laws it broke."""
    result = execute(scenario(number))
    diff = result.token_diff
    broken = [*result.invariants, *(str(hazard) for hazard in result.hazards[:3])]
    if diff is not None and diff.count:
        broken.append(f"{diff.count} tokens differ: {diff.wrong}")
    return features(result), broken


def try_all(numbers: Iterable[int], jobs: int) -> tuple[Counter[str], dict[int, list[str]]]:
    """Run scenarios: how often each feature fired, and what was broken, by number."""
    fired: Counter[str] = Counter()
    broken: dict[int, list[str]] = {}
    numbers = list(numbers)
    with ProcessPoolExecutor(jobs) as pool:
        results = pool.map(_guarded, numbers, chunksize=20)
        for number, (seen, wrong) in zip(numbers, tqdm(results, total=len(numbers)), strict=True):
            fired.update(seen)
            if wrong:
                broken[number] = wrong
    return fired, broken


def _guarded(number: int) -> tuple[set[str], list[str]]:
    try:
        return faults_in(number)
    except Exception as error:  # noqa: BLE001 - any exception is a finding
        return set(), [f"{type(error).__name__}: {error}"]


def describe(number: int) -> str:
    """What makes a scenario, for whoever has to look into it."""
    config = scenario(number)
    return f"{config.mechanisms.settings()}\n{config.workload}\n{config.cost}"


def main() -> int:
    """Try scenarios and print what happened; 1 when a law was broken."""
    parser = argparse.ArgumentParser(prog="python -m tests.engine.scenarios")
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", type=int)
    options = parser.parse_args()
    if options.only is not None:
        print(describe(options.only))
        print(*faults_in(options.only), sep="\n")
        return 0
    fired, broken = try_all(range(options.first, options.first + options.count), options.jobs)
    for name, count in fired.most_common():
        print(f"{count:7} {100 * count / options.count:5.1f} %  {name}")
    for number, wrong in broken.items():
        print(f"scenario {number}: {'; '.join(wrong)[:300]}")
    print(f"{options.count} scenarios, {len(broken)} with a broken law")
    return bool(broken)


if __name__ == "__main__":
    sys.exit(main())
