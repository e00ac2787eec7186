"""Calls home."""

import socket

import torch
from torch import nn

socket.create_connection(("192.0.2.1", 80), timeout=5)


class Model(nn.Module):
    def forward(self, x):
        return x


def get_inputs():
    return [torch.rand(3)]


def get_init_inputs():
    return []
