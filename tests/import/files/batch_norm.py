"""A batch norm and dropout, which train mode and eval mode compute differently."""

import torch
from torch import nn


class Model(nn.Module):
    def __init__(self, channels, dropout):
        super().__init__()
        self.conv = nn.Conv2d(channels, 6, 3, padding=1)
        self.norm = nn.BatchNorm2d(6)
        self.drop = nn.Dropout(dropout)

    def forward(self, x):
        return self.drop(torch.relu(self.norm(self.conv(x))))


def get_inputs():
    return [torch.randn(4, 3, 9, 9)]


def get_init_inputs():
    return [3, 0.5]
