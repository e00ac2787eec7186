# A tensor of a class of its own that has computed when it is returned.
import torch
from torch import nn


class Eager(torch.Tensor):
    pass


class ModelNew(nn.Module):
    def forward(self, x):
        result = torch.relu(x).as_subclass(Eager)
        result.source = x
        return result
