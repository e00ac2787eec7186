# A tensor of a class of its own that has computed when it is returned.
import torch
from torch import nn


class Eager(torch.Tensor):
    @classmethod
    def __torch_function__(cls, function, types, args=(), kwargs=None):
        return super().__torch_function__(function, types, args, kwargs or {})


class ModelNew(nn.Module):
    def forward(self, x):
        result = torch.relu(x).as_subclass(Eager)
        result.source = x
        return result
