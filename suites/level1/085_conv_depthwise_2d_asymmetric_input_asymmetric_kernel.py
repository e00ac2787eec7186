"""Depthwise convolution: y[n, c] = w[c] * x[n, c], each channel with its own 3 x 7 kernel.
21 products an output: bound by memory, if a tile with its rim is read once.
"""

import torch
from torch import nn

BATCH = 32
IN_CHANNELS = 128
OUT_CHANNELS = 128
KERNEL_SIZE = (3, 7)
STRIDE = (1, 1)
PADDING = (0, 0)
DILATION = (1, 1)
GROUPS = 128
HEIGHT = 128
WIDTH = 256

SMALL = {"BATCH": 4, "HEIGHT": 64, "WIDTH": 128}


class Model(nn.Module):
    def __init__(
        self,
        in_channels,
        out_channels,
        kernel_size_h,
        kernel_size_w,
        stride_h,
        stride_w,
        padding_h,
        padding_w,
        dilation_h,
        dilation_w,
        groups,
    ):
        super().__init__()
        self.conv = nn.Conv2d(
            in_channels,
            out_channels,
            (kernel_size_h, kernel_size_w),
            (stride_h, stride_w),
            (padding_h, padding_w),
            (dilation_h, dilation_w),
            groups,
            bias=False,
        )

    def forward(self, x):
        return self.conv(x)


def get_inputs():
    # Signed: the mean of positive inputs would dominate every output.
    return [torch.rand(BATCH, IN_CHANNELS, HEIGHT, WIDTH) * 2 - 1]


def get_kernelbench_inputs():
    return [torch.rand(BATCH, IN_CHANNELS, HEIGHT, WIDTH)]


def get_init_inputs():
    return [IN_CHANNELS, OUT_CHANNELS, *KERNEL_SIZE, *STRIDE, *PADDING, *DILATION, GROUPS]
