# Its output does lie transposed.
import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.relu(x.t().contiguous()).t()
