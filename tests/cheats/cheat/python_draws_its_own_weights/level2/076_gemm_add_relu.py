# Weights of its own instead of the task's, under another name.
import torch
from torch import nn


class ModelNew(nn.Module):
    def __init__(self, in_features, out_features, bias_shape):
        super().__init__()
        self.fused = nn.Linear(in_features, out_features)

    def forward(self, x):
        return torch.relu(self.fused(x))
