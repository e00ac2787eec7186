"""Linear without bias, an added vector, rectifier: y = max(x W^T + b, 0).
Bias and rectifier belong into the product's epilogue, which saves two passes over the result.
"""

import torch
from torch import nn

BATCH = 1024
IN_FEATURES = 8192
OUT_FEATURES = 8192

SMALL = {"BATCH": 48, "IN_FEATURES": 256, "OUT_FEATURES": 160}


class Model(nn.Module):
    def __init__(self, in_features, out_features, bias_shape):
        super().__init__()
        self.linear = nn.Linear(in_features, out_features, bias=False)
        self.bias = nn.Parameter(torch.randn(bias_shape))

    def forward(self, x):
        return torch.relu(self.linear(x) + self.bias)


def get_inputs():
    # With inputs from [-1, 1) the product has a standard deviation of 1/3 against the vector's 1,
    # and most signs hang on the vector; from a normal of deviation 2 the product decides as well.
    return [torch.randn(BATCH, IN_FEATURES) * 2]


def get_kernelbench_inputs():
    return [torch.rand(BATCH, IN_FEATURES)]


def get_init_inputs():
    return [IN_FEATURES, OUT_FEATURES, (OUT_FEATURES,)]
