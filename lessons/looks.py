"""Watches whether a function of tensors needs the host: then it could not run on a device alone.

Either it looks at a value (`.item()`, a Python branch), or the shape of a result depends on values
(a boolean mask as an index). The host would have to wait for the device, and no graph can hold it.
"""

from collections.abc import Callable, Sequence
from typing import Any

import torch
import torch._dynamo  # makes its cache folder when imported, which no exercise may
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode

LOOKS = ("item", "tolist", "numpy", "nonzero", "masked_select", "unique", "__bool__", "__int__",
         "__float__", "__index__", "cpu")  # fmt: skip
DEVICE_LOOKS = ("aten::_local_scalar_dense", "aten::nonzero", "aten::masked_select", "aten::equal")


def host_needed(function: Callable[..., Any], arguments: Sequence[torch.Tensor]) -> str:
    """The first call for which the host would have to wait, or nothing."""
    looking, dispatched = _Looking(), _Dispatched()
    with dispatched, looking:
        function(*arguments)
    return looking.name or dispatched.name


class _Looking(TorchFunctionMode):
    """Notes calls by which the host looks at a value."""

    def __init__(self) -> None:
        super().__init__()
        self.name = ""

    def __torch_function__(self, func, types, args=(), kwargs=None):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN204
        called = getattr(func, "__name__", "")
        if called in LOOKS and not self.name:
            self.name = called
        if called == "synchronize" and not self.name:
            self.name = called
        return func(*args, **(kwargs or {}))


class _Dispatched(TorchDispatchMode):
    """Notes operations whose result depends on values: a device would have to be waited for."""

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.name = ""

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN204
        name = func.name().split(".")[0]
        masked = name.startswith("aten::index") and _has_mask(args)
        if (name in DEVICE_LOOKS or masked) and not self.name:
            self.name = "a boolean mask" if masked else name.removeprefix("aten::")
        return func(*args, **(kwargs or {}))


def _has_mask(arguments: tuple[Any, ...]) -> bool:
    """Whether an index operation picks rows by a boolean tensor."""
    indices = [item for argument in arguments if isinstance(argument, list) for item in argument]
    return any(isinstance(item, torch.Tensor) and item.dtype == torch.bool for item in indices)
