"""Tensors that a stranger's file makes on a GPU are made on the CPU: a task says nothing of devices,
and whether `.cuda()` works must not depend on whether the file's module has parameters.
"""

import torch
from torch.overrides import TorchFunctionMode


class OnCpu(TorchFunctionMode):
    """`.cuda()`, `.to("cuda")`, `device="cuda"` and pinned memory stay where they are."""

    def __torch_function__(self, func, types, args=(), kwargs=None):
        kwargs = dict(kwargs or {})
        if func in (torch.Tensor.cuda, torch.Tensor.pin_memory):
            return args[0]
        if _is_elsewhere(kwargs.get("device")):
            kwargs["device"] = "cpu"
        if kwargs.get("pin_memory"):
            kwargs["pin_memory"] = False
        if func is torch.Tensor.to:
            args = (args[0], *("cpu" if _is_elsewhere(arg) else arg for arg in args[1:]))
        return func(*args, **kwargs)


def _is_elsewhere(device) -> bool:
    """Whether that is a device which a task's tensors are not on. A number is a GPU's."""
    if isinstance(device, bool) or device is None:
        return False
    if isinstance(device, str):
        return device.split(":")[0] in ("cuda", "npu", "xpu", "hip", "mps", "musa")
    if isinstance(device, torch.device):
        return device.type not in ("cpu", "meta")
    return isinstance(device, int)
