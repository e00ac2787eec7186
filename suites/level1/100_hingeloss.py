"""Hinge loss: y = mean of max(1 - predictions[i, j] targets[j], 0), targets of -1 or +1.
Four operators and three large temporaries unfused; fused, the predictions are read once.
"""

import torch
from torch import nn

BATCH = 32768
FEATURES = 32768

SMALL = {"BATCH": 1024, "FEATURES": 4096}


class Model(nn.Module):
    def forward(self, predictions, targets):
        return torch.mean(torch.clamp(1 - predictions * targets, min=0))


def get_inputs():
    # Predictions from [0, 1) never meet the clamp. Normal ones around 2 do, in two cases of five;
    # and as their mean is not 0, the loss follows the balance of the targets: it varies by half a
    # per cent from draw to draw, where the mean over 2^30 independent elements would not.
    targets = torch.randint(0, 2, (FEATURES,)).float() * 2 - 1
    return [torch.randn(BATCH, FEATURES) * 2 + 2, targets]


def get_kernelbench_inputs():
    targets = torch.randint(0, 2, (FEATURES,)).float() * 2 - 1
    return [torch.rand(BATCH, FEATURES), targets]


def get_init_inputs():
    return []
