"""Huber loss: y = mean of d^2 / 2 where |d| < 1, else |d| - 1 / 2, with d = predictions - targets.
One pass over both inputs and one number out: bound by reading, then by how partial sums meet.
"""

import torch
from torch import nn

BATCH = 32768
FEATURES = 32768

SMALL = {"BATCH": 1024, "FEATURES": 4096}


class Model(nn.Module):
    def forward(self, predictions, targets):
        return nn.functional.smooth_l1_loss(predictions, targets)


def get_inputs():
    # Inputs from [0, 1) are never more than 1 apart: the linear branch is not used. Here it is for
    # 65 % of them. A mean over 2^30 elements still varies by a mere 3e-5 of itself from draw to
    # draw: at a tolerance of 1e-4 a constant passes, at this suite's, some 4e-6, it does not.
    return [torch.randn(BATCH, FEATURES) * 2, torch.randn(BATCH, FEATURES)]


def get_kernelbench_inputs():
    return [torch.rand(BATCH, FEATURES), torch.rand(BATCH, FEATURES)]


def get_init_inputs():
    return []
