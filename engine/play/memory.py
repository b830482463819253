"""What the device of a level holds and computes: slots, KV blocks, and the kernels of a step.

A request's KV block holds its sentence. A step is a small attention over it: `carry` takes the
last token from the inputs or, for a placeholder, from what the device sampled last; `layer 0`
finds it in the block (keys), `layer 1` looks up the word behind it (values), `sample` writes the
result. All of it reads the device's memory at its own time: stale inputs give stale words.
"""

from dataclasses import dataclass

import torch

from engine.device.api import Commit, Device, Kernel
from engine.device.buffer import Buffer
from engine.play.level import RESOURCES, Level
from engine.play.sentences import GROUPS, LENGTH, ROWS, SENTENCES, VOCABULARY, group_sentences

TOKEN, BLOCK, SOURCE = range(3)
"""Columns of the inputs: the token, the row's KV block, and for a placeholder 1 + its place in the
ring of sampled tokens (0: the token itself counts)."""

INPUTS, OUTPUTS = "inputs", "tokens"


@dataclass(frozen=True, eq=False)
class Slot:
    """The four buffers that a batch goes through; slots may share some of them."""

    host_inputs: Buffer
    device_inputs: Buffer
    device_outputs: Buffer
    host_outputs: Buffer


@dataclass(frozen=True, eq=False)
class Memory:
    """All buffers of a level. `home` are the requests' KV blocks in host memory, a row each."""

    slots: tuple[Slot, ...]
    ring: Buffer
    ids: Buffer
    scores: Buffer
    hidden: Buffer
    kv: Buffer
    home: Buffer

    def kernels(self, slot: int, group: int, blocks: tuple[int, ...]) -> tuple[Kernel, ...]:
        """One step of a batch: the kernels in launch order."""
        inputs, outputs = self.slots[slot].device_inputs, self.slots[slot].device_outputs
        places = slice(group * ROWS, (group + 1) * ROWS)
        ring = self.ring.rows(((1 << ROWS) - 1) << places.start)
        kv = self.kv.rows(sum(1 << block for block in blocks))
        read, ids, hidden = inputs.first(ROWS), self.ids.first(ROWS), self.hidden.first(ROWS)
        scores = self.scores.first(ROWS)

        def carry() -> Commit:
            token, source = inputs.tensor[:, TOKEN], inputs.tensor[:, SOURCE]
            sampled = self.ring.tensor[(source - 1).clamp(min=0)]
            return _put(self.ids.tensor, torch.where(source > 0, sampled, token))

        def find() -> Commit:
            keys = self.kv.tensor[inputs.tensor[:, BLOCK]][:, :-1]
            query = _one_hot(self.ids.tensor)
            return _put(self.scores.tensor, (_one_hot(keys) @ query.unsqueeze(-1)).squeeze(-1))

        def look_up() -> Commit:
            values = _one_hot(self.kv.tensor[inputs.tensor[:, BLOCK]][:, 1:])
            return _put(self.hidden.tensor, (self.scores.tensor.unsqueeze(1) @ values).squeeze(1))

        def sample() -> Commit:
            found = self.hidden.tensor.argmax(dim=-1)

            def commit() -> None:
                outputs.tensor.copy_(found)
                self.ring.tensor[places] = found

            return commit

        return (
            Kernel("carry", "carry", (read, ring), (ids,), carry),
            Kernel("layer 0", "layer", (read, ids, kv), (scores,), find, share=(0, 2)),
            Kernel("layer 1", "layer", (read, scores, kv), (hidden,), look_up, share=(1, 2)),
            Kernel("sample", "sample", (hidden,), (outputs.first(ROWS), ring), sample),
        )


def _one_hot(tokens: torch.Tensor) -> torch.Tensor:
    """Rows of zeros with a one at each token's place; all zero for token 0, which is none."""
    return torch.nn.functional.one_hot(tokens, len(VOCABULARY)).float() * (tokens > 0).unsqueeze(-1)


def _put(target: torch.Tensor, result: torch.Tensor) -> Commit:
    def commit() -> None:
        target.copy_(result)

    return commit


def make_memory(device: Device, level: Level) -> Memory:
    """Allocate what a level needs; KV blocks of the resident groups are filled."""
    pinned = level.mechanisms.memory == "pinned"
    made: dict[tuple[str, int], Buffer] = {}

    def buffer(resource: str, slot: int) -> Buffer:
        slot = 0 if resource in level.shared else slot
        if (resource, slot) not in made:
            inputs = resource.endswith(INPUTS)
            made[resource, slot] = device.buffer(
                resource, INPUTS if inputs else OUTPUTS, (ROWS, 3) if inputs else (ROWS,),
                on_host=resource.startswith("host"), slot=slot, pinned=pinned,
            )  # fmt: skip
        return made[resource, slot]

    slots = tuple(Slot(*(buffer(name, slot) for name in RESOURCES)) for slot in range(level.slots))
    resident = level.groups_on_device
    width = len(VOCABULARY)
    memory = Memory(
        slots,
        device.buffer("carry ring", OUTPUTS, (GROUPS * ROWS,)),
        device.buffer("activations", "ids", (ROWS,)),
        device.buffer("activations", "scores", (ROWS, LENGTH - 1), dtype=torch.float32),
        device.buffer("activations", "hidden", (ROWS, width), dtype=torch.float32),
        device.buffer("kv blocks", "sentences", (ROWS * len(resident), LENGTH)),
        device.buffer("host kv", "sentences", (len(SENTENCES), LENGTH), on_host=True),
    )
    memory.home.tensor.copy_(torch.tensor(SENTENCES))
    for place, group in enumerate(resident):
        memory.kv.tensor[place * ROWS : (place + 1) * ROWS] = torch.tensor(group_sentences(group))
    return memory
