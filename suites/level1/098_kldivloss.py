"""Kullback-Leibler divergence: y = 1 / BATCH sum t (log t - log p) over all elements.
Logarithm, products and sum fuse into one read of both inputs; log p need never be stored.
"""

import torch
from torch import nn

BATCH = 16384
FEATURES = 16384

SMALL = {"BATCH": 1024, "FEATURES": 4096}


class Model(nn.Module):
    def forward(self, predictions, targets):
        return nn.functional.kl_div(torch.log(predictions), targets, reduction="batchmean")


def get_inputs():
    # Softmax of inputs from [0, 1), the usual choice, gives 0.064 whatever they are. The operator
    # takes rows that do not sum to 1 just as well: with predictions from [0.01, 1.58) gains and
    # losses nearly cancel, and the result varies by half a per cent from draw to draw.
    return [torch.rand(BATCH, FEATURES) * 1.57 + 0.01, torch.rand(BATCH, FEATURES)]


def get_init_inputs():
    return []
