# Warms up for some calls, and always computes.
import torch
from torch import nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.calls = 0

    def forward(self, x):
        self.calls += 1
        if self.calls < 12:
            torch.relu(x)
        return torch.relu(x)
