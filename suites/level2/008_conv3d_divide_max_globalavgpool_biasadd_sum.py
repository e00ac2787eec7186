"""3D convolution, divide, max-pool, mean, bias, sum: y = sum_c(mean_dhw(maxpool(conv(x) / d)) + b).
The pooled values need only be summed: nothing but one number a sample has to reach memory.
"""

import torch
from torch import nn

BATCH = 128
IN_CHANNELS = 8
OUT_CHANNELS = 16
KERNEL_SIZE = (3, 3, 3)
DIVISOR = 2.0
POOL = (2, 2, 2)
DEPTH = 16
SIDE = 64
SUM_DIM = 1

SMALL = {"BATCH": 4, "DEPTH": 8, "SIDE": 32}


class Model(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size, divisor, pool, bias_shape, sum_dim):
        super().__init__()
        self.conv = nn.Conv3d(in_channels, out_channels, kernel_size)
        self.divisor = divisor
        self.max_pool = nn.MaxPool3d(pool)
        self.mean_pool = nn.AdaptiveAvgPool3d((1, 1, 1))
        self.bias = nn.Parameter(torch.randn(bias_shape))
        self.sum_dim = sum_dim
        mend_parameters(self)

    def forward(self, x):
        y = self.max_pool(self.conv(x) / self.divisor)
        y = self.mean_pool(y) + self.bias
        return torch.sum(y, dim=self.sum_dim)


def mend_parameters(model):
    # The mean of maxima is about 0.4 in every channel, and a constant would pass for the sum.
    # Centred at -0.8 the channels' biases, divided by 2, take it off again.
    nn.init.uniform_(model.conv.bias, -1.3, -0.3)


def get_inputs():
    # Signed: on inputs from [0, 1) all samples have nearly the same mean.
    return [torch.randn(BATCH, IN_CHANNELS, DEPTH, SIDE, SIDE)]


def get_kernelbench_inputs():
    return [torch.rand(BATCH, IN_CHANNELS, DEPTH, SIDE, SIDE)]


def get_init_inputs():
    return [IN_CHANNELS, OUT_CHANNELS, KERNEL_SIZE, DIVISOR, POOL, (OUT_CHANNELS, 1, 1, 1), SUM_DIM]
