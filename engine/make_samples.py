"""Makes the bundled samples of the *Inspect* page: small dumps of this very engine.

    python -m engine.make_samples

Engine dumps are deterministic: the same code writes the same bytes. The PyTorch dump is a
real recording of the model on a CPU, so its times differ from run to run.
"""

import gzip
import json
import tempfile
from pathlib import Path

import torch
from torch.profiler import ProfilerActivity, profile, record_function

import traces
from engine.configuration import configure
from engine.execution import execute
from engine.model.decoder import load_model
from engine.model.reference import decode
from engine.model.tokenizer import encode
from traces import write_trace

FOLDER = Path(traces.__file__).parent / "samples"
STEPS = 24

ENGINE_SAMPLES = {
    "sync": ("Synchronous engine", "The GPU waits for the host between any two steps."),
    "async": ("Asynchronous engine", "The host works behind the GPU: nearly no gap is left."),
    "item-sync": (
        "One .item() in the loop",
        "An asynchronous engine that reads a scalar every step, and so waits every step.",
    ),
    "one-stream": (
        "Copies on the compute stream",
        "Right, but the copies no longer overlap the kernels.",
    ),
    "pageable": (
        "Pageable host memory",
        "The copies block the host, so nothing is prepared while the GPU works.",
    ),
}
PYTORCH_SAMPLE = (
    "PyTorch profiler, CPU only",
    "A recording of torch.profiler without a GPU: what a trace without device work looks like.",
)


def main() -> None:
    """Write every sample and the index the page reads."""
    FOLDER.mkdir(exist_ok=True)
    index = []
    for mode, (title, about) in ENGINE_SAMPLES.items():
        name = f"engine-{mode}.json.gz"
        write_trace(execute(configure(mode, steps=STEPS)).trace, FOLDER / name)
        index.append({"file": name, "title": title, "about": about})
    _record_pytorch(FOLDER / "pytorch-cpu.json.gz")
    title, about = PYTORCH_SAMPLE
    index.append({"file": "pytorch-cpu.json.gz", "title": title, "about": about})
    (FOLDER / "index.json").write_text(json.dumps(index, indent=2) + "\n", encoding="utf-8")


def _record_pytorch(path: Path) -> None:
    """Profile a few tokens of the reference decoder; what names the machine is left out."""
    torch.set_num_threads(1)
    model = load_model()
    with profile(activities=[ProfilerActivity.CPU]) as profiler, record_function("decode"):
        decode(model, encode("There was a fisher named Otto"), 2)
    with tempfile.TemporaryDirectory() as folder:
        written = Path(folder) / "trace.json"
        profiler.export_chrome_trace(str(written))
        document = json.loads(written.read_text(encoding="utf-8"))
    for key in ("traceName", "host_name"):
        document.pop(key, None)
    path.write_bytes(gzip.compress(json.dumps(document).encode(), mtime=0))


if __name__ == "__main__":
    main()
