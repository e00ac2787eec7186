import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.quantize_per_tensor(torch.relu(x), 0.1, 0, torch.quint8)
