import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, x):
        raise ValueError(f"no {x.shape} today")
