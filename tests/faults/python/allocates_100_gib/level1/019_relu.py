import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, x):
        torch.ones(25 << 30)
        return torch.relu(x)
