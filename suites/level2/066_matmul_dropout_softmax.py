"""Linear, dropout (off), softmax over a row: y = softmax(x W^T + b).
Row maxima and sums can gather in the product's epilogue; 128 rows make it bound by reading W.
"""

import torch
from torch import nn

BATCH = 128
IN_FEATURES = 16384
OUT_FEATURES = 16384
DROPOUT = 0.2

SMALL = {"IN_FEATURES": 2048, "OUT_FEATURES": 2048}


class Model(nn.Module):
    def __init__(self, in_features, out_features, dropout):
        super().__init__()
        self.linear = nn.Linear(in_features, out_features)
        # Off in every mode of this suite: no two runs of a random operator can be compared.
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        return torch.softmax(self.dropout(self.linear(x)), dim=1)


def get_inputs():
    # On inputs from [0, 1) every output is near 1 / OUT_FEATURES, 6e-5, and zeros pass. With a
    # deviation of 8 that of the product is 4.6, and a row has a few outputs that are large.
    return [torch.randn(BATCH, IN_FEATURES) * 8]


def get_kernelbench_inputs():
    return [torch.rand(BATCH, IN_FEATURES)]


def get_init_inputs():
    return [IN_FEATURES, OUT_FEATURES, DROPOUT]
