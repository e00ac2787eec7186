import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, x):
        out = torch.relu(x)
        out[-1, -1] += 1
        return out
