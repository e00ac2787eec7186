"""Transposed convolution, bias, clamp, scale, clamp, divide: y = clip(s clip(t(x) + b)) / s.
With clips to [0, 1] that is one clip of t + b to [0, 1/s], made where the convolution writes.
"""

import torch
from torch import nn

BATCH = 128
IN_CHANNELS = 64
OUT_CHANNELS = 64
KERNEL_SIZE = 3
STRIDE = 2
PADDING = 1
OUTPUT_PADDING = 1
SIDE = 128
SCALE = 2.0

SMALL = {"BATCH": 4, "SIDE": 32}
LINT_ACCEPTS = {
    "operator": "scaled by 2, the second clamp cuts lower than the first, which may be left out"
}


class Model(nn.Module):
    def __init__(
        self,
        in_channels,
        out_channels,
        kernel_size,
        stride,
        padding,
        output_padding,
        bias_shape,
        scale,
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
        self.scale = scale
        mend_parameters(self)

    def forward(self, x):
        # A scale above 1 makes the first clamp redundant: the second one cuts lower. That follows
        # from the constructor's arguments, and a submission may use it.
        y = torch.clamp(self.conv(x) + self.bias, min=0.0, max=1.0)
        y = torch.clamp(y * self.scale, min=0.0, max=1.0)
        return y / self.scale


def mend_parameters(model):
    # A bias of deviation 1 clips most outputs to one of the two ends; with a fifth of it and
    # the inputs below about half of them lie between.
    nn.init.normal_(model.bias, std=0.2)


def get_inputs():
    return [torch.randn(BATCH, IN_CHANNELS, SIDE, SIDE)]


def get_kernelbench_inputs():
    return [torch.rand(BATCH, IN_CHANNELS, SIDE, SIDE)]


def get_init_inputs():
    return [
        IN_CHANNELS,
        OUT_CHANNELS,
        KERNEL_SIZE,
        STRIDE,
        PADDING,
        OUTPUT_PADDING,
        (OUT_CHANNELS, 1, 1),
        SCALE,
    ]
