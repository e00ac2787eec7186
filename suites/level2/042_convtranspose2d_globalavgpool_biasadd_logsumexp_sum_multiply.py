"""Transposed convolution, mean, bias, log-sum-exp, sum, scale: y = 10 lse_c(mean_hw(t(x)) + b).
The mean commutes with the convolution: channel sums of x and of W are enough, 2 GB are not written.
"""

import torch
from torch import nn

BATCH = 16
IN_CHANNELS = 64
OUT_CHANNELS = 128
KERNEL_SIZE = 3
SIDE = 512

SMALL = {"BATCH": 2, "SIDE": 48}


class Model(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size, bias_shape):
        super().__init__()
        self.conv = nn.ConvTranspose2d(in_channels, out_channels, kernel_size)
        self.bias = nn.Parameter(torch.randn(bias_shape))

    def forward(self, x):
        y = torch.mean(self.conv(x), dim=(2, 3), keepdim=True) + self.bias
        y = torch.logsumexp(y, dim=1, keepdim=True)
        y = torch.sum(y, dim=(2, 3))  # of one number: the mean left no others
        return y * 10.0


def get_inputs():
    # The mean over SIDE^2 pixels shrinks a signal SIDE times: on inputs from [0, 1) all samples
    # give 53.84. A deviation of 2 SIDE brings the means to about 0.8 each, beside a bias of 1.
    return [torch.randn(BATCH, IN_CHANNELS, SIDE, SIDE) * (2 * SIDE)]


def get_kernelbench_inputs():
    return [torch.rand(BATCH, IN_CHANNELS, SIDE, SIDE)]


def get_init_inputs():
    return [IN_CHANNELS, OUT_CHANNELS, KERNEL_SIZE, (OUT_CHANNELS, 1, 1)]
