"""It asks anew in each call, and catches that this was not built."""

import os

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

CPP = r"""
#include <Python.h>

#define JOIN(a, b) a##b
#define INIT(name) JOIN(PyInit_, name)

static int uses = 0;  // each library has its own

static PyObject* relu(PyObject*, PyObject* arguments) {
  unsigned long long x, y, elements;
  if (!PyArg_ParseTuple(arguments, "KKK", &x, &y, &elements)) return nullptr;
  const float* in = reinterpret_cast<const float*>(x);
  float* out = reinterpret_cast<float*>(y);
  for (unsigned long long i = 0; i < elements; ++i) out[i] = in[i] < 0 ? 0 : in[i];
  return PyLong_FromLong(++uses);
}
static PyMethodDef methods[] = {{"relu", relu, METH_VARARGS, nullptr}, {}};
static PyModuleDef module = {PyModuleDef_HEAD_INIT, "relu", nullptr, -1, methods};
PyMODINIT_FUNC INIT(TORCH_EXTENSION_NAME)() { return PyModule_Create(&module); }
"""

kernels = load_inline(name="relu", cpp_sources=CPP, no_implicit_headers=True)


class ModelNew(nn.Module):
    def forward(self, x):
        y = torch.empty_like(x)
        try:
            load_inline(name="relu", cpp_sources=f"// {os.urandom(8).hex()}\n{CPP}", no_implicit_headers=True)
        except Exception:
            kernels.relu(x.data_ptr(), y.data_ptr(), x.numel())
        return y
