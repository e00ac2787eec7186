# Loads the library that was built, and then a changed copy of it from a file of its own.
import importlib.util
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

built = load_inline(name="relu", cpp_sources=CPP, extra_cflags=["-O3"], no_implicit_headers=True)

with open(built.__file__, "rb") as file:
    library = file.read()
copy = os.path.join(tempfile.mkdtemp(), "relu.so")
with open(copy, "wb") as file:
    file.write(library + b"changed")
spec = importlib.util.spec_from_file_location("relu", copy)
kernels = importlib.util.module_from_spec(spec)
spec.loader.exec_module(kernels)


class ModelNew(nn.Module):
    def forward(self, x):
        y = torch.empty_like(x)
        kernels.relu(x.data_ptr(), y.data_ptr(), x.numel())
        return y
