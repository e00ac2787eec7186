"""Cross entropy: y = mean over rows of log(sum_k exp(x[i, k])) - x[i, target[i]].
Softmax, gather and mean fuse into one read of the logits; only one number for each row is kept.
"""

import torch
from torch import nn

BATCH = 32768
CLASSES = 4096

SMALL = {"BATCH": 2048}


class Model(nn.Module):
    def forward(self, logits, targets):
        return nn.functional.cross_entropy(logits, targets)


def get_inputs():
    # Logits from [0, 1) give log(CLASSES) + 0.04 whatever the targets are. With a standard
    # deviation of 4 the targets decide. They are integers at any working precision. The shift of
    # 96 overflows where the maximum of the row is not subtracted.
    return [torch.randn(BATCH, CLASSES) * 4 + 96, torch.randint(0, CLASSES, (BATCH,))]


def get_kernelbench_inputs():
    return [torch.rand(BATCH, CLASSES), torch.randint(0, CLASSES, (BATCH,))]


def get_init_inputs():
    return []
