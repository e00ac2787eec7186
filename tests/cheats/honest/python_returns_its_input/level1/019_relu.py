# A view of what it computed from a view of the input.
import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.relu(x.view(-1)).view(x.shape)
