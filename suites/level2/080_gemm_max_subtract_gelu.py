"""Linear, row maximum, minus its own mean, GELU: y = gelu(m - mean(m)), m = max_j (x W^T + b)_j.
The mean of one number is that number: y is 0 for every finite input, and nothing need be computed.
"""

import torch
from torch import nn
from torch.nn import functional as F

BATCH = 1024
IN_FEATURES = 8192
OUT_FEATURES = 8192
MAX_DIM = 1

SMALL = {"BATCH": 256, "IN_FEATURES": 1024, "OUT_FEATURES": 1024}
LINT_ACCEPTS = {
    "zeros": "the output is 0 for every finite input",
    "mean": "the output is 0 for every finite input",
    "half": "the output is 0 for every finite input",
    "previous": "the output is 0 for every finite input",
    "parameter": "the output is 0 for every finite input",
    "operator": "the output is 0 for every finite input",
}


class Model(nn.Module):
    def __init__(self, in_features, out_features, max_dim):
        super().__init__()
        self.linear = nn.Linear(in_features, out_features)
        self.max_dim = max_dim

    def forward(self, x):
        # The flaw is accepted, not mended: the shape (rows, 1) of the maximum, and the mean over
        # that one column, are the task, and no distribution of inputs or parameters changes what
        # m - m is. Zeros pass, and are right. So the task counts in no score.
        y = torch.max(self.linear(x), dim=self.max_dim, keepdim=True)[0]
        y = y - y.mean(dim=1, keepdim=True)
        return F.gelu(y)


def get_inputs():
    return [torch.rand(BATCH, IN_FEATURES) * 2 - 1]


def get_kernelbench_inputs():
    return [torch.rand(BATCH, IN_FEATURES)]


def get_init_inputs():
    return [IN_FEATURES, OUT_FEATURES, MAX_DIM]
