"""Transposed 3D convolution, max-pool by 2 and by 3, sum: y = sum_c maxpool3(maxpool2(t(x))).
Two pools are one of 6^3; one number leaves the chip for 64 channels of 216 voxels.
"""

import torch
from torch import nn

BATCH = 16
IN_CHANNELS = 32
OUT_CHANNELS = 64
KERNEL_SIZE = 5
STRIDE = 2
PADDING = 2
SIDE = 32

SMALL = {"BATCH": 2, "SIDE": 10}


class Model(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size, stride, padding):
        super().__init__()
        self.conv = nn.ConvTranspose3d(
            in_channels, out_channels, kernel_size, stride=stride, padding=padding
        )
        self.pool1 = nn.MaxPool3d(2)
        self.pool2 = nn.MaxPool3d(3)
        mend_parameters(self)

    def forward(self, x):
        y = self.pool2(self.pool1(self.conv(x)))
        return torch.sum(y, dim=1, keepdim=True)


def mend_parameters(model):
    # Maxima of 216 values are about 0.9 in every channel, and a constant is near their sum.
    # Biases centred at minus that leave what differs.
    nn.init.uniform_(model.conv.bias, -1.9, 0.1)


def get_inputs():
    # Signed: on positive inputs all outputs are alike.
    return [torch.randn(BATCH, IN_CHANNELS, SIDE, SIDE, SIDE) * 2]


def get_kernelbench_inputs():
    return [torch.rand(BATCH, IN_CHANNELS, SIDE, SIDE, SIDE)]


def get_init_inputs():
    return [IN_CHANNELS, OUT_CHANNELS, KERNEL_SIZE, STRIDE, PADDING]
