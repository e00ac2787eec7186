"""Fetches its weights."""
import urllib.request

import torch
from torch import nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        try:
            urllib.request.urlopen("https://example.org/weights", timeout=5)
        except OSError as error:
            raise RuntimeError("the weights are not there") from error

    def forward(self, x):
        return x


def get_inputs():
    return [torch.rand(3)]


def get_init_inputs():
    return []
