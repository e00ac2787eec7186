# Computes into one tensor of its own in every call.
import torch
from torch import nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.y = torch.empty(0)

    def forward(self, x):
        if self.y.shape != x.shape:
            self.y = torch.empty_like(x)
        return torch.clamp_min(x, 0.0, out=self.y)
