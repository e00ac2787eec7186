"""Transposed convolution, minimum, sum, GELU, bias: y = gelu(sum_h min_c t(x)) + b.
Minimum and sum fuse into the convolution: 512 MiB become one number a column of each image.
"""

import torch
from torch import nn
from torch.nn import functional as F

BATCH = 16
IN_CHANNELS = 64
OUT_CHANNELS = 128
KERNEL_SIZE = 3
STRIDE = 2
PADDING = 1
OUTPUT_PADDING = 1
SIDE = 128

SMALL = {"BATCH": 2, "SIDE": 32}


class Model(nn.Module):
    def __init__(
        self, in_channels, out_channels, kernel_size, stride, padding, output_padding, bias_shape
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
        self.bias = nn.Parameter(torch.randn(bias_shape))
        mend_parameters(self)

    def forward(self, x):
        y = torch.min(self.conv(x), dim=1, keepdim=True)[0]
        y = torch.sum(y, dim=2, keepdim=True)
        return F.gelu(y) + self.bias


def mend_parameters(model):
    # Minima are negative: a sum of them is so far below zero that GELU returns 0, and b alone
    # is the output. Biases above zero lift them: the sums over 2 SIDE rows are within 2.
    nn.init.uniform_(model.conv.bias, 3.0 / SIDE, 4.2 / SIDE)


def get_inputs():
    # By the number of rows, as the biases: their sums stay where GELU is curved.
    return [torch.randn(BATCH, IN_CHANNELS, SIDE, SIDE) * (6.4 / SIDE)]


def get_kernelbench_inputs():
    return [torch.rand(BATCH, IN_CHANNELS, SIDE, SIDE)]


def get_init_inputs():
    return [IN_CHANNELS, OUT_CHANNELS, KERNEL_SIZE, STRIDE, PADDING, OUTPUT_PADDING, (1, 1, 1)]
