"""Convolution, mean pool, sigmoid, sum of a sample: y[n] = sum_chw sigmoid(avgpool(conv(x)))[n].
The pool joins the convolution (a 6 x 6 kernel at stride 4), and only the sum leaves the chip.
"""

import torch
from torch import nn

BATCH = 128
IN_CHANNELS = 8
OUT_CHANNELS = 64
KERNEL_SIZE = 3
SIDE = 384
POOL = 4

SMALL = {"BATCH": 4, "SIDE": 64}


class Model(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size, pool):
        super().__init__()
        self.conv = nn.Conv2d(in_channels, out_channels, kernel_size)
        self.pool = nn.AvgPool2d(pool)
        mend_parameters(self)

    def forward(self, x):
        y = torch.sigmoid(self.pool(self.conv(x)))
        return torch.sum(y, dim=(1, 2, 3))


def mend_parameters(model):
    # Around zero 577600 sigmoids sum to half their number in every sample, to 0.002 per cent.
    # Biases around -10 leave one in a few hundred above 1/2, and samples differ by per cents.
    nn.init.uniform_(model.conv.bias, -11.0, -9.0)


def get_inputs():
    # A deviation of 24 gives one of about 3.5 after convolution and pool.
    return [torch.randn(BATCH, IN_CHANNELS, SIDE, SIDE) * 24]


def get_kernelbench_inputs():
    return [torch.rand(BATCH, IN_CHANNELS, SIDE, SIDE)]


def get_init_inputs():
    return [IN_CHANNELS, OUT_CHANNELS, KERNEL_SIZE, POOL]
