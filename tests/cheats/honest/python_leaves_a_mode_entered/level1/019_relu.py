# Leaves its mode before it returns.
import torch
from torch import nn
from torch.utils._python_dispatch import TorchDispatchMode


class Plain(TorchDispatchMode):
    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        return function(*args, **(kwargs or {}))


class ModelNew(nn.Module):
    def forward(self, x):
        with Plain():
            return torch.relu(x)
