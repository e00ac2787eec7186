# Looks up how to compute by the shape, and computes.
import torch
from torch import nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.ways = {}

    def forward(self, x):
        return self.ways.setdefault(x.shape, torch.relu)(x)
