"""Points that are turned by a matrix of tensors."""
import torch
from torch import nn


class Model(nn.Module):
    def forward(self, points, turn):
        return points @ turn


def get_inputs():
    angle = torch.tensor(0.3)
    sine, cosine = torch.sin(angle), torch.cos(angle)
    return [torch.rand(256, 2), torch.tensor([[cosine, -sine], [sine, cosine]])]


def get_init_inputs():
    return []
