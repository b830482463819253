"""A program of the game as a log of operations, written down without any device.

It knows the keys and CUDA's rules for events, no times and no tensors; a step is one kernel. The
hazard checker must find in it what it finds in the log of the device.
"""

from engine.oplog import NONE, OpKind, OpLog, StreamInfo, StreamKind, row_mask
from engine.play.level import Level
from engine.streams import STREAM_LAYOUTS
from tests.engine.pipelines import Builder

KEYS_OF = {"1": "h", "2": "k", "3": "d"}
DONE = {"h": "h2d", "k": "compute", "d": "d2h"}


class Writer:
    """Writes the operations of a program whose every key was possible."""

    def __init__(self, level: Level) -> None:
        self.level = level
        self.kind = StreamKind(level.mechanisms.stream_kind)
        self.names = STREAM_LAYOUTS[level.mechanisms.streams]
        self.builder = Builder(())
        self.builder.log.streams += [
            StreamInfo(i, name, StreamKind.DEFAULT if name == "default" else self.kind)
            for i, name in enumerate(dict.fromkeys(self.names))
        ]
        self.buffers: dict[tuple[str, int], int] = {}
        self.count = dict.fromkeys("whkdgf", 0)
        self.slot, self.slots, self.named = 0, [], []
        self.records: dict[tuple[str, int], int] = {}
        self.fresh: set[tuple[str, int]] = set()
        places = {group: i for i, group in enumerate(level.groups_on_device)}
        self.blocks = [places.get(group) for group in level.batches]

    def stream(self, role: int) -> int:
        names = [stream.name for stream in self.builder.log.streams]
        return names.index(self.names[role])

    def memory(self, resource: str, slot: int) -> int:
        place = resource, 0 if resource in self.level.shared else slot
        if place not in self.buffers:
            self.buffers[place] = self.builder.buffer(resource, slot=place[1])
        return self.buffers[place]

    def add(self, kind, stream, reads=(), writes=(), step=NONE, target=NONE, rows=15) -> int:
        return self.builder.add(kind, stream, reads, writes, step, target=target, rows=rows)

    def key(self, key: str) -> None:
        """Write what one key does."""
        n = dict(self.count)
        pageable = self.level.mechanisms.memory == "pageable"
        if key in "wp":
            self.slots.append(self.slot)
            self.named.append(self.blocks[n["w"]])
            self.add(OpKind.HOST_WRITE, -1, (), [self.memory("host inputs", self.slot)], n["w"])
            self.count["w"] += 1
        elif key == "x":
            self.slot = (self.slot + 1) % self.level.slots
        elif key == "g":
            source = self.memory("host outputs", self.slots[n["g"]])
            self.add(OpKind.HOST_READ, -1, [source], (), n["g"])
            self.count["g"] += 1
        elif key == "f":
            self.blocks[n["f"]] = None
            self.free = self.named[n["f"]]
            self.count["f"] += 1
        elif key == "i":
            number = n["w"] + self.blocks[n["w"] :].index(None)
            self.blocks[number], place = self.free, self.free
            kv = [self.memory("kv blocks", 0)]
            self.add(OpKind.H2D, self.stream(0), (), kv, number, rows=row_mask(0, 4) << 4 * place)
        elif key in "hkd":
            self.work(key, n[key], pageable)
            self.count[key] += 1
        else:
            self.order(key, n)

    def work(self, key: str, number: int, pageable: bool) -> None:
        slot = self.slots[number]
        host_in, device_in = self.memory("host inputs", slot), self.memory("device inputs", slot)
        device_out, host_out = (self.memory(f"{side} outputs", slot) for side in ("device", "host"))
        if key == "h":
            if pageable:
                self.add(OpKind.HOST_READ, -1, [host_in], (), number)
            self.add(OpKind.H2D, self.stream(0), () if pageable else [host_in], [device_in], number)
        elif key == "k":
            at = self.stream(1)
            rows = row_mask(0, 4) << 4 * self.named[number]
            self.add(OpKind.KERNEL, at, [self.memory("kv blocks", 0)], (), number, rows=rows)
            self.add(OpKind.KERNEL, at, [device_in], [device_out], number)
        else:
            copy = self.add(OpKind.D2H, self.stream(2), [device_out], [host_out], number)
            if pageable:
                self.add(OpKind.SYNC_OP, -1, (), (), number, copy)
        self.fresh.discard((DONE[key], number))

    def order(self, key: str, n: dict[str, int]) -> None:
        """Records, waits and synchronisations."""
        if key in "123":
            work = KEYS_OF[key]
            last = n[work] - 1
            done = last < 0 or (DONE[work], last) in self.fresh
            number = n[work] if done and n[work] < n["w"] else last
            role = "hkd".index(work)
            seq = self.add(OpKind.RECORD, self.stream(role), (), (), number)
            self.records[DONE[work], number] = seq
            self.fresh.add((DONE[work], number))
        elif key in "45":
            work, of, role = ("k", "h2d", 1) if key == "4" else ("d", "compute", 2)
            self.wait(role, n[work], of, n[work])
        elif key == "7":
            self.wait(0, n["h"], "compute", self.before(n["h"], "device inputs"))
        elif key == "8":
            self.wait(1, n["k"], "d2h", self.before(n["k"], "device outputs"))
        elif key == "9":
            self.sync(n["w"], "h2d", self.before(n["w"], "host inputs"))
        elif key == "6":
            self.sync(n["g"], "d2h", n["g"])
        elif key == "0":
            batch = n["g"] if self.level.resident is None else n["f"]
            self.sync(batch, "compute", batch)
        elif key == "y":
            self.add(OpKind.SYNC_STREAM, self.stream(2))
        else:
            self.add(OpKind.SYNC_DEVICE, -1)

    def before(self, number: int, resource: str) -> int:
        slot = self.slots[number] if number < len(self.slots) else self.slot
        mine = self.memory(resource, slot)
        users = [n for n in range(number) if self.memory(resource, self.slots[n]) == mine]
        return users[-1]

    def wait(self, role: int, step: int, event: str, of: int) -> None:
        target = self.records.get((event, of), NONE)
        self.add(OpKind.WAIT, self.stream(role), (), (), step, target)

    def sync(self, step: int, event: str, of: int) -> None:
        self.add(OpKind.SYNC_OP, -1, (), (), step, self.records.get((event, of), NONE))


def log_of(level: Level, program: str) -> OpLog:
    """The log of a program, each key of which is possible."""
    writer = Writer(level)
    for key in program:
        writer.key(key)
    return writer.builder.log
