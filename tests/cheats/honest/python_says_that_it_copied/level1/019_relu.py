# Copies its output itself, once more than it would need to.
import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.relu(x).clone()
