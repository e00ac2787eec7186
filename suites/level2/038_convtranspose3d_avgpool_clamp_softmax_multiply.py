"""Mean pool, transposed 3D convolution, clamp, softmax, scale: y = s softmax_dhw(clip(t(pool(x)))).
The clamp bounds the exponent, so that sums can gather beside the convolution without a maximum.
"""

import torch
from torch import nn

BATCH = 32
IN_CHANNELS = 32
OUT_CHANNELS = 64
KERNEL_SIZE = 3
STRIDE = 2
PADDING = 1
OUTPUT_PADDING = 1
POOL = 2
LOWEST = 0.0
HIGHEST = 1.0
DEPTH = 32
SIDE = 64

SMALL = {"BATCH": 2, "DEPTH": 16, "SIDE": 32}


class Model(nn.Module):
    def __init__(
        self,
        in_channels,
        out_channels,
        kernel_size,
        stride,
        padding,
        output_padding,
        pool,
        lowest,
        highest,
    ):
        super().__init__()
        self.pool = nn.AvgPool3d(pool)
        self.conv = nn.ConvTranspose3d(
            in_channels,
            out_channels,
            kernel_size,
            stride=stride,
            padding=padding,
            output_padding=output_padding,
        )
        self.lowest = lowest
        self.highest = highest
        self.scale = nn.Parameter(torch.ones(1, out_channels, 1, 1, 1))
        mend_parameters(self)

    def forward(self, x):
        y = self.conv(self.pool(x))
        y = torch.clamp(y, self.lowest, self.highest)
        shape = y.shape
        y = torch.softmax(y.view(shape[0], shape[1], -1), dim=2)
        return y.view(shape) * self.scale


def mend_parameters(model):
    # A softmax over the 131072 voxels of a channel gives numbers near 8e-6: zeros pass, or any
    # constant, where a tolerance is absolute. A scale as large brings them to about 1.
    nn.init.uniform_(model.scale, 65536.0, 196608.0)


def get_inputs():
    # Pooling and convolution shrink the signal to 1/20. From [0, 1) all values fall below or near
    # the lower clip; a deviation of 12 spreads half of them between the clips.
    return [torch.randn(BATCH, IN_CHANNELS, DEPTH, SIDE, SIDE) * 12]


def get_kernelbench_inputs():
    return [torch.rand(BATCH, IN_CHANNELS, DEPTH, SIDE, SIDE)]


def get_init_inputs():
    return [
        IN_CHANNELS,
        OUT_CHANNELS,
        KERNEL_SIZE,
        STRIDE,
        PADDING,
        OUTPUT_PADDING,
        POOL,
        LOWEST,
        HIGHEST,
    ]
