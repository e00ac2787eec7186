# Computes into whatever the allocator has.
import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.clamp(x, min=0, out=torch.empty_like(x))
