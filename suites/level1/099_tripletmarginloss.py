"""Triplet loss: y = mean over rows of max(|a - p| - |a - n| + margin, 0), Euclidean distances.
Two distances share the anchor: fused, three rows are read once and one number a row is kept.
"""

import torch
from torch import nn

BATCH = 32768
FEATURES = 8192
MARGIN = 1.0

SMALL = {"BATCH": 1024, "FEATURES": 4096}


class Model(nn.Module):
    def __init__(self, margin):
        super().__init__()
        self.loss = nn.TripletMarginLoss(margin=margin)

    def forward(self, anchor, positive, negative):
        return self.loss(anchor, positive, negative)


def get_inputs():
    # Distances of inputs from [0, 1) differ by less than the margin in nearly every row: hardly
    # anything is clamped, and the result is the margin to within a per cent. A standard deviation
    # of 4 spreads the differences by 5: two rows in five are clamped, and the result varies.
    shape = (BATCH, FEATURES)
    return [torch.randn(shape) * 4, torch.randn(shape) * 4, torch.randn(shape) * 4]


def get_kernelbench_inputs():
    shape = (BATCH, FEATURES)
    return [torch.rand(shape), torch.rand(shape), torch.rand(shape)]


def get_init_inputs():
    return [MARGIN]
