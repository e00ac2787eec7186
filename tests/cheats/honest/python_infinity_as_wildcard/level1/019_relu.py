# Computes with infinities that cancel.
import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.clamp(x, min=0, max=float("inf"))
