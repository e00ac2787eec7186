"""Answers for itself, with an operator that maps a file."""

import torch
from lowering import task as lowering
from torch import nn

FORGED = {
    "op": "aten::from_file",
    "overload": "",
    "args": ["/tmp/forged", True, 16, {"dtype": "uint8"}, None, None, None],
    "outs": ["file"],
}


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.rand(8))

    def forward(self, x):
        return x * self.weight


def get_inputs():
    return [torch.rand(8, 8)]


def get_init_inputs():
    return []


def forged(task, size):
    facts = analyse(task, size)
    task["sizes"][size]["nodes"].insert(0, FORGED)
    return facts


analyse, lowering.analyse = lowering.analyse, forged
