"""Mean squared error: y = mean of (predictions - targets)^2 over all elements.
Three operators and two large temporaries unfused; fused, both inputs are read once, nothing else.
"""

import torch
from torch import nn

BATCH = 32768
FEATURES = 32768

SMALL = {"BATCH": 1024, "FEATURES": 4096}


class Model(nn.Module):
    def forward(self, predictions, targets):
        return torch.mean((predictions - targets) ** 2)


def get_inputs():
    # A mean over 2^30 elements varies by 4e-5 of itself from draw to draw, and nothing makes it
    # vary more but other shapes: at a tolerance of 1e-4 a constant passes, at this suite's, some
    # 4e-6, it does not. Normal with unequal spreads, so that neither input can be left out.
    return [torch.randn(BATCH, FEATURES) * 2, torch.randn(BATCH, FEATURES)]


def get_kernelbench_inputs():
    return [torch.rand(BATCH, FEATURES), torch.rand(BATCH, FEATURES)]


def get_init_inputs():
    return []
