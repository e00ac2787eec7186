# A subclass that adds nothing.
import torch
from torch import nn


class Plain(torch.Tensor):
    pass


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.relu(x).as_subclass(Plain)
