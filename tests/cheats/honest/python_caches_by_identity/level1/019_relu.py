# Keeps a buffer for each shape, and computes into it every time.
import torch
from torch import nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.buffers = {}

    def forward(self, x):
        buffer = self.buffers.setdefault(x.shape, torch.empty_like(x))
        return torch.clamp(x, min=0, out=buffer)
