"""Attention: softmax(Q K^T / sqrt(EMBEDDING)) V for each sample and head, without mask.
Fused with a running softmax, the 512 x 512 scores never leave the chip; unfused they are 1 GiB.
"""

import torch
from torch import nn

BATCH = 32
HEADS = 32
LENGTH = 512
EMBEDDING = 1024

SMALL = {"BATCH": 2, "HEADS": 4, "LENGTH": 256, "EMBEDDING": 256}


class Model(nn.Module):
    def forward(self, q, k, v):
        return nn.functional.scaled_dot_product_attention(q, k, v)


def get_inputs():
    # On inputs from [0, 1) all scores of a row are nearly equal, and the output is the mean of V: Q
    # and K need not be read. Normal ones, Q with a standard deviation of 2, give scores that
    # spread by 2, so that a few keys carry most of the weight.
    shape = (BATCH, HEADS, LENGTH, EMBEDDING)
    return [torch.randn(shape) * 2, torch.randn(shape), torch.randn(shape)]


def get_kernelbench_inputs():
    shape = (BATCH, HEADS, LENGTH, EMBEDDING)
    return [torch.rand(shape), torch.rand(shape), torch.rand(shape)]


def get_init_inputs():
    return []
