# Has an extension built in a folder of its own, of a source that it writes: in the build step, and again in each
# session.
import os
import tempfile

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

CPP = r"""
#include <pybind11/pybind11.h>

#include <cstdint>

static void relu(std::uintptr_t x, std::uintptr_t y, std::int64_t elements) {
  const float* in = reinterpret_cast<const float*>(x);
  float* out = reinterpret_cast<float*>(y);
  for (std::int64_t i = 0; i < elements; ++i) out[i] = in[i] < 0 ? 0 : in[i];
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("relu", &relu); }
"""

os.makedirs("build")
with open(os.path.join(tempfile.mkdtemp(), "note"), "w", encoding="ascii") as file:
    file.write("x")
kernels = load_inline(name="relu", cpp_sources=CPP, extra_cflags=["-O3"], no_implicit_headers=True,
                      build_directory=os.path.abspath("build"))


class ModelNew(nn.Module):
    def forward(self, x):
        y = torch.empty_like(x)
        kernels.relu(x.data_ptr(), y.data_ptr(), x.numel())
        return y
