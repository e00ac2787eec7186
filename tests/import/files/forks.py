"""Starts processes that stay."""

import os
import time

import torch
from torch import nn

for _ in range(3):
    if os.fork() == 0:
        os.setsid()
        while True:
            time.sleep(60)


class Model(nn.Module):
    def forward(self, x):
        return x


def get_inputs():
    return [torch.rand(3)]


def get_init_inputs():
    return []
