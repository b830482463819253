"""The kernels never make the host wait for the device, and make no tensor on the wrong one.

A device whose memory is PyTorch's fake tensors: they have a shape and a place and no contents.
Whoever asks for contents (`.item()`, `torch.equal`, a boolean mask as an index), or mixes device
memory with the host's, gets an exception. On a GPU the first would be a hidden synchronisation.
"""

from dataclasses import replace

import msgspec
import pytest
import torch
from torch._subclasses.fake_tensor import (
    DataDependentOutputException,
    DynamicOutputShapeException,
    FakeTensorMode,
)

from engine import configure, execute, execution
from engine.device.virtual import VirtualDevice
from engine.devices import DEVICES, Kind
from engine.model.decoder import Model
from engine.model.weights import ModelConfig, assemble, shapes
from engine.modes.table import MODES
from tests.sparing import every

FAKE = FakeTensorMode()
ASKED = (DataDependentOutputException, DynamicOutputShapeException)


class FakeGpu(VirtualDevice):
    """The virtual device, its own memory fake. What is copied from it arrives as zeros."""

    bodies = 0

    def _zeros(self, shape, dtype, on_host, pinned):
        if on_host:
            return torch.zeros(shape, dtype=dtype)
        with FAKE:
            return torch.zeros(shape, dtype=dtype, device="meta")

    def launch(self, stream, called, kernels):
        kernels = tuple(
            msgspec.structs.replace(kernel, body=self._faked(kernel.body)) for kernel in kernels
        )
        super().launch(stream, called, kernels)

    def copy(self, stream, dst, src, rows, share=(0, 1)):
        super().copy(stream, replace(dst, data=None), src, rows, share)

    def copy_rows(self, stream, dst, to_rows, src, from_rows, share=(0, 1)):
        super().copy_rows(stream, replace(dst, data=None), to_rows, src, from_rows, share)

    def _faked(self, body):
        def faked():
            FakeGpu.bodies += 1
            with FAKE:
                commit = body()

            def written():
                with FAKE:
                    commit()

            return written

        return faked


def fake_model():
    """A small model, its weights fake, as a GPU would hold it."""
    config = ModelConfig(n_layers=1, dim=16, n_heads=2, head_dim=8, ff_dim=16)
    with FAKE:
        named = {name: torch.empty(s, device="meta") for name, s in shapes(config).items()}
        return Model(config, assemble(config, named))


@pytest.fixture
def fake_gpu(monkeypatch):
    monkeypatch.setitem(DEVICES, "fake", Kind("fake memory", FakeGpu, False))
    monkeypatch.setattr(execution, "model_for", lambda config: fake_model())
    monkeypatch.setattr(torch, "inference_mode", torch.no_grad)  # fake tensors know no other
    monkeypatch.setattr(torch.Tensor, "pin_memory", lambda tensor: tensor)  # nor this
    monkeypatch.setattr(FakeGpu, "bodies", 0)


@pytest.mark.parametrize("mode", every(2, MODES))
def test_no_kernel_of_any_mode_looks_at_its_data(fake_gpu, mode):
    config = configure(mode, steps=3)
    result = execute(replace(config, device="fake"))
    assert FakeGpu.bodies >= 5 * result.steps


@pytest.mark.parametrize(
    "looks",
    [
        lambda x: torch.equal(x, x),
        lambda x: x[x > 0],
        lambda x: x[0].item(),
        lambda x: x.tolist(),
        lambda x: x.nonzero(),
        lambda x: bool(x.any()),
    ],
)
def test_a_kernel_that_looks_is_found(looks):
    with FAKE, pytest.raises(ASKED):
        looks(torch.zeros(3, dtype=torch.int64, device="meta"))


def test_a_kernel_that_mixes_memories_is_found():
    with FAKE, pytest.raises(RuntimeError, match="same device"):
        torch.zeros(3, device="meta") + torch.arange(3)
