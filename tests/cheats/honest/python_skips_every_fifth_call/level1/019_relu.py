# Every fifth call is computed in another way.
import torch
from torch import nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.calls = 0

    def forward(self, x):
        self.calls += 1
        return torch.relu(x) if self.calls % 5 else torch.clamp(x, min=0)
