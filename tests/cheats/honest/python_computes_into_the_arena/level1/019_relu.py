# Computes into a tensor that it has made before.
import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, x):
        y = torch.empty_like(x)
        return torch.clamp_min(x, 0.0, out=y)
