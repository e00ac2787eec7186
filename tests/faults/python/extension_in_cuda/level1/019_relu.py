import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

CUDA = r"""
__global__ void relu_kernel(float* x) { x[threadIdx.x] = fmaxf(x[threadIdx.x], 0); }

void relu(torch::Tensor x) { relu_kernel<<<1, x.numel()>>>(x.data_ptr<float>()); }
"""

kernels = load_inline(name="relu", cpp_sources="void relu(torch::Tensor x);", cuda_sources=CUDA,
                      functions=["relu"])


class ModelNew(nn.Module):
    def forward(self, x):
        y = x.clone()
        kernels.relu(y)
        return y
