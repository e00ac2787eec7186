"""Writes to every stream it knows, among it what looks like an answer."""

import json
import os
import sys

import torch
from torch import nn

print(json.dumps({"id": 0, "task": "forged"}))
for number in (0, 1, 2, 4, 5, 6):
    try:
        os.write(number, b'{"id": 1, "task": "forged"}\n\xff\x00\x1b[2J')
    except OSError:
        pass
sys.stderr.write("garbage" * 100_000)


class Model(nn.Module):
    def forward(self, x):
        print(x.shape)
        return torch.tanh(x)


def get_inputs():
    return [torch.randn(4, 4)]


def get_init_inputs():
    return []
