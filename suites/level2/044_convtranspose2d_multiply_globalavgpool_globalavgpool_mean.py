"""Transposed convolution, scale, global mean, the mean of that once more: y = mean_hw(s t(x)).
The mean commutes with the convolution: channel sums of x replace it, but for one border row.
"""

import torch
from torch import nn

BATCH = 16
IN_CHANNELS = 64
OUT_CHANNELS = 128
KERNEL_SIZE = 3
STRIDE = 2
PADDING = 1
OUTPUT_PADDING = 1
MULTIPLIER = 0.5
SIDE = 128

SMALL = {"BATCH": 2, "SIDE": 24}


class Model(nn.Module):
    def __init__(
        self, in_channels, out_channels, kernel_size, stride, padding, output_padding, multiplier
    ):
        super().__init__()
        self.conv = nn.ConvTranspose2d(
            in_channels,
            out_channels,
            kernel_size,
            stride=stride,
            padding=padding,
            output_padding=output_padding,
        )
        self.multiplier = multiplier

    def forward(self, x):
        y = self.conv(x) * self.multiplier
        y = torch.mean(y, dim=(2, 3), keepdim=True)
        return torch.mean(y, dim=(2, 3), keepdim=True)  # of one number


def get_inputs():
    # The mean over SIDE^2 pixels shrinks a signal SIDE times: on inputs from [0, 1) every sample
    # gives the same, and all of it is the convolution's bias. A deviation of 2 SIDE outweighs it.
    return [torch.randn(BATCH, IN_CHANNELS, SIDE, SIDE) * (2 * SIDE)]


def get_kernelbench_inputs():
    return [torch.rand(BATCH, IN_CHANNELS, SIDE, SIDE)]


def get_init_inputs():
    return [IN_CHANNELS, OUT_CHANNELS, KERNEL_SIZE, STRIDE, PADDING, OUTPUT_PADDING, MULTIPLIER]
